package dev.colony.node.activation;

import dev.colony.agent.AgentException;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunBudget.TraceBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.ModelUse;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.inference.Budget;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.PriceTable;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The step that an agent is in, as its inference and its dispatcher see it. Thread-safe. */
final class CurrentStep {

  /** Threads that an action starts work for it, too. */
  private static final InheritableThreadLocal<OpenAction> PERFORMING =
      new InheritableThreadLocal<>();

  private final RunRequest request;
  private final String name;
  private final ActionPolicyExecutionState state;
  private final ActorStepJournal journal;
  private final CancellationToken token;
  private final BudgetMeter meter;
  private final boolean several;
  private final boolean again;
  private final int most;
  private final Optional<StepSpans> spans;
  private final Set<String> performed = new HashSet<>();
  private Optional<OpenAction> alone = Optional.empty();
  private Optional<ActionCall> call = Optional.empty();
  private int underWay;
  private boolean over;

  /**
   * @param name the same for every execution of the step, whatever crashes
   * @param several whether an execution before a crash has performed several actions
   * @param again whether an execution of it was cut off
   * @param most how many it may perform
   * @param spans of it; empty where no one is told of them
   */
  CurrentStep(
      RunRequest request,
      String name,
      ActionPolicyExecutionState state,
      ActorStepJournal journal,
      CancellationToken token,
      BudgetMeter meter,
      boolean several,
      boolean again,
      int most,
      Optional<StepSpans> spans) {
    this.request = request;
    this.name = name;
    this.state = state;
    this.journal = journal;
    this.token = token;
    this.meter = meter;
    this.several = several;
    this.again = again;
    this.most = most;
    this.spans = spans;
  }

  String name() {
    return name;
  }

  /** The run that it is a step of. */
  RunId run() {
    return request.runId();
  }

  ActionPolicyExecutionState state() {
    return state;
  }

  ActorStepJournal journal() {
    return journal;
  }

  CancellationToken token() {
    return token;
  }

  /** Whether an execution of it was cut off, whose model calls it may make again. */
  boolean again() {
    return again;
  }

  BudgetMeter meter() {
    return meter;
  }

  /** On whose behalf it is, in the session in which the run is now, as the doing of its span. */
  ExecutionContext context() {
    ExecutionContext asked = request.context();
    ExecutionContext within = state.session().map(asked::session).orElse(asked);
    return spans.map(all -> within.traceparent(span(all).self())).orElse(within);
  }

  private StepSpans.OpenSpan span(StepSpans all) {
    return acting().flatMap(action -> action.span).orElseGet(all::plan);
  }

  /** A model call begins; empty where no one is told of it. */
  Optional<StepSpans.OpenSpan> calls(String callId, ModelChoice model) {
    return spans.map(all -> all.chat(callId, span(all), model));
  }

  /** What it has come to is known, and is to be journaled. */
  void planned(ActionPolicyIterationResult result) {
    spans.filter(all -> !token.cancelled()).ifPresent(all -> all.end(result));
  }

  /**
   * Begins the step's only action.
   *
   * @return why it has none; empty if it begins
   */
  synchronized Optional<String> begin(Action action) {
    if (!performed.isEmpty() || several) {
      return Optional.of("a step that performs several actions dispatches none");
    }
    if (alone.isPresent()) {
      return Optional.of("a step executes one action");
    }
    alone = Optional.of(new OpenAction("/action/", action));
    return Optional.empty();
  }

  /** Ends the step's only action; its result with what it has used. */
  synchronized ActionResult end(Action action, ActionResult result) {
    ActionResult counted = alone.orElseThrow().end(result);
    call = Optional.of(new ActionCall(action, counted));
    return counted;
  }

  /**
   * Executes one of several actions of the step, on the caller's thread.
   *
   * @param execution is given what adds to a result what the action has used
   */
  ActionResult perform(
      Action action, Function<UnaryOperator<ActionResult>, ActionResult> execution) {
    Optional<String> refusal = enters(action.actionId());
    if (refusal.isPresent()) {
      return ActionResult.unsuccessful(
          action.actionId(), ActionResult.Status.REFUSED, refusal.get());
    }
    OpenAction open = new OpenAction("/action/" + action.actionId() + "/", action);
    Optional<OpenAction> outer = Optional.ofNullable(PERFORMING.get());
    PERFORMING.set(open);
    try {
      return execution.apply(open::end);
    } finally {
      open.close();
      outer.ifPresentOrElse(PERFORMING::set, PERFORMING::remove);
      leaves();
    }
  }

  private synchronized Optional<String> enters(String actionId) {
    if (alone.isPresent()) {
      return Optional.of("a step that dispatches an action performs no others");
    }
    if (over) {
      return Optional.of("the step is over");
    }
    if (state.result(actionId).isPresent() || performed.contains(actionId)) {
      return Optional.of("the run has had an action " + actionId + " before");
    }
    if (performed.size() >= most) {
      return Optional.of("a step has no more than " + most + " actions");
    }
    performed.add(actionId);
    underWay++;
    return Optional.empty();
  }

  private synchronized void leaves() {
    underWay--;
    notifyAll();
  }

  /**
   * No further action begins; waits for the end of those that are under way, each of which its own
   * timeout bounds.
   */
  synchronized void close() throws InterruptedException {
    over = true;
    while (underWay > 0) {
      wait();
    }
  }

  /** Whether it has performed several actions, each with its own record. */
  synchronized boolean several() {
    return several || !performed.isEmpty();
  }

  /**
   * The action whose code the calling thread executes: of several, the one that has started the
   * thread. Empty while the policy plans.
   */
  Optional<OpenAction> acting() {
    OpenAction bound = PERFORMING.get();
    if (bound != null && bound.of(this)) {
      return Optional.of(bound);
    }
    synchronized (this) {
      return alone.filter(OpenAction::open);
    }
  }

  /** The action that has ended in this step, where it was the only one. */
  synchronized Optional<ActionCall> call() {
    return call;
  }

  /** An action from its beginning to its end, and what its model calls take. Thread-safe. */
  final class OpenAction {

    private final Map<String, ModelUse> models = new LinkedHashMap<>();
    private final String path;
    private final Optional<StepSpans.OpenSpan> span;
    private Usage used = Usage.NONE;
    private boolean open = true;

    private OpenAction(String path, Action action) {
      this.path = path;
      this.span = spans.map(all -> all.action(action));
    }

    /** What stands between the step's name and its calls' in their ids. */
    String path() {
      return path;
    }

    /** Counts a model call that it makes. */
    synchronized void use(InferenceReply reply) {
      used = used.plus(reply.usage());
      if (!reply.answeredBy().isEmpty()) {
        models.merge(
            reply.answeredBy(),
            new ModelUse(reply.model(), reply.entry(), reply.usage()),
            (a, b) -> new ModelUse(a.model(), a.entry(), a.usage().plus(b.usage())));
      }
    }

    /** Counts one of them that has failed. */
    synchronized void use(Usage more) {
      used = used.plus(more);
    }

    private synchronized ActionResult end(ActionResult result) {
      open = false;
      span.ifPresent(all -> all.end(result));
      return result.used(used, List.copyOf(models.values()));
    }

    private synchronized void close() {
      open = false;
    }

    private synchronized boolean open() {
      return open;
    }

    private boolean of(CurrentStep step) {
      return step == CurrentStep.this && open();
    }
  }

  /** What a run has spent on model calls, those of the step that is under way included. */
  static final class BudgetMeter {

    private final RunBudget budget;
    private final PriceTable prices;
    private long tokens;
    private BigDecimal cost;

    /**
     * @param budget that holds for the run
     * @param before what its journaled steps and replies took
     */
    BudgetMeter(RunBudget budget, PriceTable prices, RunStats before) {
      this.budget = budget;
      this.prices = prices;
      this.tokens = tokens(before.usage());
      this.cost = before.cost();
    }

    /**
     * Lets another call be made.
     *
     * @throws AgentException if the budget is used up and no person is asked for more: then the run
     *     is suspended behind the step, and an action that has begun is not spoilt
     */
    synchronized void check() {
      if (budget.whenSpent() == RunBudget.WhenSpent.SUSPEND) {
        return;
      }
      Optional<String> over =
          budget.tokens().filter(most -> tokens >= most).isPresent()
              ? Optional.of(tokens + " tokens; it may take " + budget.tokens().get())
              : budget
                  .cost()
                  .filter(most -> cost.compareTo(most) >= 0)
                  .map(most -> "a cost of " + cost.toPlainString() + "; it may take " + most);
      over.ifPresent(how -> {
        throw AgentException.spent("the run took " + how);
      });
    }

    /** What the gateway holds the run to; nothing where a person may grant more. */
    Budget budget() {
      return budget.whenSpent() == RunBudget.WhenSpent.SUSPEND
          ? Budget.UNLIMITED
          : new Budget(budget.tokens(), budget.cost());
    }

    /** Whether tokens or money are bounded, so that each call counts as soon as it begins. */
    boolean bounded() {
      return budget.tokens().isPresent() || budget.cost().isPresent();
    }

    /**
     * Counts a call.
     *
     * @param model its name in {@code colony.inference.models}; empty for the one that has none
     */
    synchronized void add(String model, Usage usage) {
      tokens += tokens(usage);
      cost = cost.add(prices.cost(model, usage));
    }

    private static long tokens(Usage usage) {
      return usage.promptTokens() + usage.completionTokens();
    }
  }

  /** What the budget of all that one request has set off says of a model call. */
  record TraceBounds(ExecutionContext context) {

    /** The budget that it shares with the other calls; empty where there is none. */
    Optional<CallContext.Shared> shared() {
      return context
          .budget()
          .map(most -> new Budget(most.tokens(), most.cost()))
          .filter(Budget::bounded)
          .map(most ->
              new CallContext.Shared(
                  "run " + context.trace() + " with all that it sets off", most));
    }

    /**
     * How long it may take.
     *
     * @throws AgentException if the time is over
     */
    Duration within(Duration longest, InstantSource clock) {
      Optional<Instant> until = context.budget().flatMap(TraceBudget::until);
      if (until.isEmpty()) {
        return longest;
      }
      Duration left = Duration.between(clock.instant(), until.get());
      if (!left.isPositive()) {
        String why =
            "run %s with all that it sets off has spent its time, which was until %s"
                .formatted(context.trace(), until.get());
        throw AgentException.spent(why);
      }
      return left.compareTo(longest) < 0 ? left : longest;
    }
  }
}
