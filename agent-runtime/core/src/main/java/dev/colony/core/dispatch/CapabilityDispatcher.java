package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JoinPoint.JoinPoints;
import dev.colony.agent.author.StepJournal;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.dispatch.ActionThreads.Ending;
import dev.colony.core.dispatch.Attempts.Failure;
import dev.colony.core.dispatch.RefResolver.Unresolvable;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import dev.colony.core.registry.FileProblems.CloseName;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Executes the actions of one agent's capabilities. Made together with them, and thrown away with
 * them. {@link #perform} is used by several threads at once, everything else within an iteration by
 * the policy's.
 */
public final class CapabilityDispatcher implements ActionDispatcher {

  /** Action ids stand in keys. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  /** Of parameters in an error. */
  private static final int SHOWN_CHARS = 200;

  private final Agent agent;
  private final DispatchSettings settings;
  private final Attempts attempts;
  private final ActionTable table = new ActionTable();
  private final Outputs outputs;
  private volatile Optional<Iteration> current = Optional.empty();

  /**
   * A dispatcher of all capabilities that the agent has.
   *
   * @throws dev.colony.agent.AgentException if two of them offer an action of the same key
   */
  public CapabilityDispatcher(Agent agent, ActionThreads threads) {
    this.agent = agent;
    this.settings = threads.settings();
    this.attempts = new Attempts(threads);
    this.outputs = new Outputs(agent, settings);
    agent
        .capabilities()
        .forEach(capability ->
            table.add(
                CapabilityType.provider(capability, settings.timeout()),
                blueprint(capability.capabilityKey())));
  }

  private Optional<CapabilityBlueprint> blueprint(String key) {
    return agent.blueprint().capabilities().stream()
        .filter(one -> one.capabilityKey().equals(key))
        .findFirst();
  }

  /**
   * An iteration begins: until {@link #leave}, actions are dispatched on its behalf. May block
   * where providers have to find out which actions they have.
   */
  public void enter(ActionPolicyExecutionState state, StepJournal journal) {
    table.refresh();
    ApprovalGate.used(state, journal.approvals());
    current = Optional.of(new Iteration(state, journal, new ConcurrentHashMap<>()));
  }

  /** The iteration is over; nothing is dispatched until the next one. */
  public void leave() {
    current = Optional.empty();
  }

  @Override
  public void offer(ActionProvider provider) {
    table.add(provider, Optional.empty());
  }

  @Override
  public void limitTo(Set<String> keys) {
    table.limitTo(keys);
  }

  @Override
  public List<ActionGroup> groups() {
    return table.groups(current.map(at -> at.state().disabled()).orElse(Set.of()));
  }

  /**
   * {@inheritDoc}
   *
   * @throws CancellationException if the agent has left this node or the run was cancelled; what an
   *     external action has done by then is found out after the next recovery
   * @throws IllegalStateException outside an iteration
   */
  @Override
  public ActionResult dispatch(Action action) {
    return hooked(action, new Execution(iteration(), action, true));
  }

  /**
   * {@inheritDoc}
   *
   * @throws CancellationException as {@link #dispatch}
   */
  @Override
  public ActionResult perform(Action action) {
    return perform(action, result -> result);
  }

  /**
   * The same.
   *
   * @param counted adds to the result what its model calls took, before it is journaled
   */
  public ActionResult perform(Action action, UnaryOperator<ActionResult> counted) {
    Iteration at = iteration();
    Optional<ActionCall> before = at.journal().ended(action.actionId());
    if (before.isPresent()) {
      return answered(at, action, before.get());
    }
    Optional<Action> begun = at.journal().begun(action.actionId()).map(StepJournal.Begun::action);
    if (begun.filter(one -> !goesOn(action, one)).isPresent()) {
      return disowned(at, action, begun.get());
    }
    Execution execution = new Execution(at, action, false);
    ActionResult result = counted.apply(hooked(action, execution));
    ActionResult kept = at.journal().end(action, result, execution.approval);
    execution.executed.ifPresent(offer -> at.write(offer.action(), kept));
    at.performed().put(action.actionId(), new ActionCall(action, kept));
    return kept;
  }

  /** What was executed before a crash is not executed again. */
  private ActionResult answered(Iteration at, Action action, ActionCall before) {
    if (!repeats(action, before)) {
      return other(action, before.action(), "executed");
    }
    table.find(action.key()).ifPresent(offer -> at.write(offer.action(), before.result()));
    at.performed().put(action.actionId(), before);
    return before.result();
  }

  /** A call that does not fit the journal is kept there as failed and without its parameters. */
  private static boolean repeats(Action action, ActionCall before) {
    boolean bare = before.action().params().isEmpty() && before.result().status() == Status.FAILED;
    return before.action().key().equals(action.key())
        && (bare || before.action().has(action.params()));
  }

  private static boolean goesOn(Action action, Action begun) {
    return begun.key().equals(action.key()) && begun.resolves(action.params());
  }

  /**
   * What had begun before a crash and is not asked for again is not executed again either, and may
   * have taken effect.
   */
  private static ActionResult disowned(Iteration at, Action action, Action begun) {
    ActionResult cut =
        at.journal().end(begun, ActionResult.interrupted(begun.actionId()), Optional.empty());
    at.performed().put(begun.actionId(), new ActionCall(begun, cut));
    return other(action, begun, "began");
  }

  private static ActionResult other(Action action, Action before, String did) {
    boolean sameKey = before.key().equals(action.key());
    return refused(
        action,
        "under this id the step %s %s before a crash, and not %s"
            .formatted(
                did,
                sameKey ? shown(before) : before.key(),
                sameKey ? shown(action) : action.key()));
  }

  private static String shown(Action action) {
    return action.key() + " " + Text.line(action.params().toString(), SHOWN_CHARS);
  }

  @Override
  public JsonNode resolve(JsonNode value) {
    try {
      return iteration().resolved(agent, outputs, value);
    } catch (Unresolvable missing) {
      throw AgentException.refused(missing.getMessage());
    } catch (InterruptedException interrupted) {
      throw cancelled(interrupted);
    } catch (Exception failure) {
      throw new AgentException(Failure.line(failure), failure, true);
    }
  }

  /**
   * Finishes an action whose intent was journaled before a crash, under the same idempotency key
   * and without journaling the intent again.
   *
   * @param action as it was journaled, its references resolved
   * @param retryable as it was journaled; an action that must not be repeated is not executed, and
   *     the result is {@link Status#INTERRUPTED}
   * @throws CancellationException as {@link #dispatch}
   */
  public ActionResult finish(Action action, boolean retryable) {
    Execution execution = new Execution(iteration(), action, true);
    return hooked(action, () -> execution.again(action, retryable));
  }

  private Iteration iteration() {
    return current.orElseThrow(
        () -> new IllegalStateException("no iteration is under way: nothing is dispatched"));
  }

  private ActionResult hooked(Action action, Callable<ActionResult> method) {
    Iteration at = iteration();
    try {
      return agent.hooks().call(JoinPoints.DISPATCH, agent, this, method, action);
    } catch (Exception | StackOverflowError | LinkageError | AssertionError failure) {
      boolean stopped =
          failure instanceof InterruptedException || Thread.currentThread().isInterrupted();
      if (stopped || at.journal().cancelled()) {
        throw cancelled(failure);
      }
      return ActionResult.failed(action.actionId(), Failure.line(failure));
    }
  }

  private static CancellationException cancelled(Throwable cause) {
    if (cause instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    CancellationException cancelled = new CancellationException("the iteration has been cancelled");
    cancelled.initCause(cause);
    return cancelled;
  }

  /** One action on its way: whether it may be executed, what is journaled before, and its end. */
  private final class Execution implements Callable<ActionResult> {

    private final Iteration at;
    private final Action action;
    private final boolean alone;
    private volatile Optional<String> approval = Optional.empty();
    private volatile Optional<ActionTable.Offer> executed = Optional.empty();

    /**
     * @param alone whether it is the only one of its step, with whose record it becomes durable
     */
    Execution(Iteration at, Action action, boolean alone) {
      this.at = at;
      this.action = action;
      this.alone = alone;
    }

    @Override
    public ActionResult call() throws Exception {
      if (!ID.matcher(action.actionId()).matches()) {
        return refused(action, "an action's id is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -");
      }
      var before =
          alone ? Optional.<StepJournal.Begun>empty() : at.journal().begun(action.actionId());
      if (before.isPresent()) {
        return again(before.get().action(), before.get().retryable());
      }
      Optional<ActionTable.Offer> found = table.find(action.key());
      if (found.isEmpty()) {
        return refused(
            action,
            "the agent has no action "
                + action.key()
                + CloseName.joined(action.key(), table.keys()));
      }
      ActionTable.Offer offer = found.get();
      if (!table.active(offer, at.state().disabled())) {
        return refused(action, "the action " + action.key() + " is not available at the moment");
      }
      JsonNode params;
      try {
        params = at.resolved(agent, outputs, action.params());
      } catch (Unresolvable missing) {
        return refused(action, missing.getMessage());
      }
      Optional<String> misfit = misfit(offer, params);
      if (misfit.isPresent()) {
        return refused(action, misfit.get());
      }
      return begin(offer, Action.of(action.actionId(), action.key(), params));
    }

    private ActionResult begin(ActionTable.Offer offer, Action resolved) throws Exception {
      ActionDescription described = offer.action();
      boolean external = described.effect() == Effect.EXTERNAL;
      Optional<ActionResult> done = external ? at.journal().done(resolved) : Optional.empty();
      if (done.isPresent()) {
        return ended(offer, done.get());
      }
      if (described.approval()) {
        String name = ApprovalGate.name(at.state().request().runId(), resolved);
        Optional<ActionResult> barred = at.bars(name, resolved);
        if (barred.isPresent()) {
          return barred.get();
        }
        approval = Optional.of(name);
      }
      if (external) {
        journal(resolved, described.retryable());
      }
      return execute(offer, resolved);
    }

    private void journal(Action resolved, boolean retryable) {
      if (alone) {
        at.journal().intend(resolved, retryable);
      } else {
        at.journal().begin(resolved, retryable, approval);
      }
    }

    /** Ends what had begun when a crash cut it off. */
    ActionResult again(Action begun, boolean retryable) throws Exception {
      if (!retryable) {
        return ActionResult.interrupted(begun.actionId());
      }
      Optional<ActionTable.Offer> offer = table.find(begun.key());
      if (offer.isEmpty()) {
        return refused(begun, "the agent has no action " + begun.key() + " any more");
      }
      if (!alone) {
        journal(begun, true);
      }
      return execute(offer.get(), begun);
    }

    private ActionResult execute(ActionTable.Offer offer, Action resolved) throws Exception {
      RunningAction running =
          new RunningAction(
              agent,
              at.state().request(),
              resolved.actionId(),
              at.journal(),
              settings,
              offer.action().timeout());
      ActionResult result;
      try {
        ObjectNode params = (ObjectNode) resolved.params();
        Ending ending =
            attempts.run(
                offer,
                running,
                () ->
                    outputs.measured(
                        resolved.actionId(),
                        offer.provider().execute(resolved.key(), params, running)));
        result = result(at, offer, running, ending);
      } finally {
        running.end();
      }
      running.forgetCheckpoint();
      return ended(offer, result);
    }

    private ActionResult ended(ActionTable.Offer offer, ActionResult result) {
      executed = Optional.of(offer).filter(one -> !alone);
      if (alone) {
        at.write(offer.action(), result);
      }
      return result;
    }
  }

  /** Why parameters cannot be those of an action; empty if they can. */
  private Optional<String> misfit(ActionTable.Offer offer, JsonNode params) {
    if (JsonSize.exceeds(params, DispatchSettings.MAX_PARAMETER_BYTES)) {
      return Optional.of(
          "the parameters are larger than " + DispatchSettings.MAX_PARAMETER_BYTES + " bytes");
    }
    Optional<String> fault = ValueRules.fault("a parameter", params);
    if (fault.isPresent()) {
      return fault;
    }
    if (!params.isObject()) {
      return Optional.of("the parameters are no JSON object");
    }
    List<String> wrong = offer.provider().violations(offer.action().key(), params);
    return wrong.isEmpty()
        ? Optional.empty()
        : Optional.of("the parameters do not fit: " + Failure.line(String.join("; ", wrong)));
  }

  private ActionResult result(
      Iteration at, ActionTable.Offer offer, RunningAction running, Ending ending)
      throws Exception {
    String id = running.actionId();
    return switch (ending) {
      case Ending.Returned returned -> kept(at, running, returned);
      case Ending.Threw threw -> ActionResult.failed(id, Failure.line(threw.failure()));
      case Ending.Refused refused ->
          ActionResult.unsuccessful(id, Status.REFUSED, refused.reason());
      case Ending.Stopped stopped ->
          switch (stopped.why()) {
            case TIMED_OUT ->
                ActionResult.unsuccessful(
                    id, Status.TIMED_OUT, "it took longer than " + offer.action().timeout());
            case CANCELLED ->
                ActionResult.unsuccessful(id, Status.CANCELLED, "it was cancelled from outside");
            case LEFT -> throw new CancellationException("the agent has left, or its run is over");
          };
    };
  }

  private ActionResult kept(Iteration at, RunningAction running, Ending.Returned returned)
      throws Exception {
    try {
      return attempts.whileOut(running, () -> outputs.kept(at.state().request().runId(), returned));
    } catch (BlackboardException lost) {
      return ActionResult.failed(
          running.actionId(),
          "it was done, but its output of "
              + returned.bytes()
              + " bytes could not be kept: "
              + Failure.line(lost));
    }
  }

  private static ActionResult refused(Action action, String why) {
    return ActionResult.unsuccessful(action.actionId(), Status.REFUSED, why);
  }
}
