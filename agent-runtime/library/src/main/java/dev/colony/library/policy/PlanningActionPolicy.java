package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.RunBudget;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyInput;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.Decision;
import dev.colony.blackboard.BlackboardException;
import dev.colony.library.context.Memory;
import dev.colony.library.context.Memory.Note;
import dev.colony.library.context.Memory.Recall;
import dev.colony.library.context.MemoryCapability;
import dev.colony.library.policy.ActionCatalog.ActionNames;
import dev.colony.library.policy.MinimalActionPolicy.PlannerNotes;
import dev.colony.library.policy.ModelPlanner.Proposal;
import dev.colony.library.policy.PlanningContext.RenderedStream;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A policy whose decisions a model makes. It gathers what the model is shown, and ends runs as the
 * model says; what is asked and what is done with the answer is up to the subclass.
 */
public abstract class PlanningActionPolicy extends EventDrivenActionPolicy {

  private static final String VARIABLE = "scope.";

  /** Memories that a prompt is shown at most. */
  private static final int MEMORIES = 12;

  private static final int RECALLED = 3;

  /** The keys of the actions that make agents. */
  private static final Set<String> SPAWNING = Set.of("agent_spawn", "delegate");

  private static final double LEARNED_IMPORTANCE = 0.8;

  private final PlannerArgs args;
  private Planner planner;
  private List<PageId> pages;

  protected PlanningActionPolicy(PolicyContext context, PlannerArgs args) {
    super(context);
    this.args = args;
  }

  /** What decides. Called once, before the first question; a subclass may bring another planner. */
  protected Planner planner() {
    return new ModelPlanner(
        context(), args.prompt().map(PromptLayers::new).orElse(PromptLayers.STOCK), args);
  }

  @Override
  public ActionPolicyIO io() {
    return args.io().orElse(ActionPolicyIO.ANYTHING);
  }

  /** Without those that the tags of the arguments leave out. */
  @Override
  protected List<ActionGroup> plannedActions(ActionPolicyExecutionState state) {
    return super.plannedActions(state).stream()
        .map(group ->
            new ActionGroup(
                group.name(),
                group.summary(),
                group.actions().stream().filter(this::tagged).toList()))
        .filter(group -> !group.actions().isEmpty())
        .toList();
  }

  private boolean tagged(ActionDescription action) {
    return args.include()
            .map(wanted -> wanted.stream().anyMatch(action.tags()::contains))
            .orElse(true)
        && args.exclude()
            .map(barred -> barred.stream().noneMatch(action.tags()::contains))
            .orElse(true);
  }

  /** Asks the planner, and makes its reasoning known. */
  protected final Proposal propose(PlanningContext planning) throws Exception {
    if (planner == null) {
      planner = planner();
    }
    Proposal proposal = planner.plan(planning);
    if (proposal instanceof Proposal.Steps steps) {
      reasoned(steps.reasoning());
    }
    return proposal;
  }

  /**
   * What the model is shown. A subclass may add to it, or leave out.
   *
   * @param news contexts of events that the model has not been shown and no stream has taken
   * @param problems what went wrong, a line each
   */
  protected PlanningContext planningContext(
      ActionPolicyExecutionState state,
      Map<String, String> reasons,
      List<JsonNode> news,
      List<String> problems)
      throws InterruptedException {
    ActionPolicyInput input = ActionPolicyInput.of(state.request());
    ObjectNode given = input.initialContext().deepCopy();
    given.setAll(input.fields());
    ActionNames names = names(state);
    List<String> goals = both(named(args.goals(), names), input.goals());
    List<RenderedStream> streams =
        context().streams().stream()
            .map(stream ->
                new RenderedStream(stream.name(), stream.render(state.entries(stream), names::in)))
            .toList();
    List<PageId> shown = pages();
    return PlanningContext.of(next -> {
      next.role = names.in(args.role().orElse(""));
      next.goals = goals;
      next.constraints = both(named(args.constraints(), names), input.constraints());
      next.input = given;
      next.result = input.resultSchema().orElseGet(io()::resultSchema);
      next.pages = shown;
      next.groups = plannedActions(state);
      next.names = names;
      next.history = state.history();
      next.reasons = reasons;
      next.nextActionId = PlannerNotes.actionId(PlannerNotes.next(state.history()));
      next.streams = streams;
      next.memories = memories(state, goals, streams, names);
      next.variables = variables(state);
      next.news = news;
      next.background = agent().backgroundProcesses();
      next.approvals = state.approvals();
      next.left = RunAllowance.left(agent(), state, spawns(state));
      next.problems = problems.stream().map(names::in).toList();
      next.own = state.custom();
      next.policy = state.policy();
    });
  }

  /**
   * Notes the bound that the run comes near to, for which the model is told to come to its end.
   *
   * @return whether the model is to be told now: it has not been since the run was near to none
   */
  protected final boolean wrapsUp(ActionPolicyExecutionState state) {
    boolean told = ActionPolicyExecutionState.wrapUp(state.custom()).isPresent();
    if (ActionPolicyExecutionState.answer(state.custom(), List.of()).isEmpty()) {
      state.answer("");
    }
    Instant now = agent().blackboard().clock().instant();
    Optional<Duration> left = state.overAt().map(over -> Duration.between(now, over));
    Optional<String> near = state.bounds().near(state.stats(), left);
    state.wrapUp(near);
    return near.isPresent() && !told;
  }

  /** The run's failure where the model cannot be asked. */
  protected static Decision unasked(AgentException failure) {
    return new Decision.Fail(
        new ErrorContext(
            failure.ofBudget() ? ErrorContext.BUDGET : "model",
            failure.getMessage(),
            Optional.empty(),
            failure.retryable()));
  }

  /** Whether the agent can have others work for it. */
  private boolean spawns(ActionPolicyExecutionState state) {
    return dispatcher().groups().stream()
        .flatMap(group -> group.actions().stream())
        .anyMatch(action ->
            SPAWNING.contains(action.key()) && !state.disabled().contains(action.capability()));
  }

  /**
   * What the model calls the agent's actions: the names of their tools. A subclass whose model
   * calls no tools for them says otherwise.
   */
  protected ActionNames names(ActionPolicyExecutionState state) {
    return ActionTools.names(dispatcher().groups());
  }

  private static Optional<List<String>> named(Optional<List<String>> texts, ActionNames names) {
    return texts.map(all -> all.stream().map(names::in).toList());
  }

  /**
   * The pages that the model is shown: those of the group that the agent is bound to, as far as
   * they fit, always the same. Read once.
   *
   * @throws AgentException if they cannot be read
   */
  protected List<PageId> pages() throws InterruptedException {
    if (pages == null) {
      Optional<PageGroupId> bound = agent().blueprint().pages();
      pages = bound.isPresent() ? pages(bound.get()) : List.of();
    }
    return pages;
  }

  private List<PageId> pages(PageGroupId bound) throws InterruptedException {
    try {
      List<PageId> ids = agent().pages().group(bound).map(PageGroup::pages).orElse(List.of());
      int room = context().settings().prompt().of("pages");
      List<PageId> fitting = new ArrayList<>();
      for (VirtualContextPage page : agent().pages().pages(ids)) {
        room -= page.sizeTokens();
        if (room < 0) {
          break;
        }
        fitting.add(page.id());
      }
      return List.copyOf(fitting);
    } catch (RuntimeException failure) {
      throw new AgentException(
          "the pages of the agent cannot be read: " + failure.getMessage(), failure, true);
    }
  }

  /** What comes to mind about goals and news, without what the prompt shows elsewhere. */
  private List<String> memories(
      ActionPolicyExecutionState state,
      List<String> goals,
      List<RenderedStream> streams,
      ActionNames names) {
    Optional<MemoryCapability> memory =
        agent()
            .capability(MemoryCapability.class)
            .filter(one -> !state.disabled().contains(one.capabilityKey()));
    if (memory.isEmpty()) {
      return List.of();
    }
    List<String> about = new ArrayList<>(goals);
    state.received().contexts().forEach(one -> about.add(one.toString()));
    Recall how = Recall.salient(String.join(" ", about), Math.min(1000, MEMORIES * RECALLED));
    return memory.get().recall(how).stream()
        .filter(one -> !ofThisRun(one, state))
        .filter(one -> streams.stream().noneMatch(stream -> stream.text().contains(one.text())))
        .map(one -> line(one, names))
        .limit(MEMORIES)
        .toList();
  }

  /** What is remembered of an action begins with its key. */
  private static String line(Memory memory, ActionNames names) {
    String line = memory.line();
    int at = line.indexOf(memory.text());
    int end = line.indexOf(' ', at);
    return memory.kind().equals(MemoryCapability.OF_ACTION) && end > at
        ? line.substring(0, at) + names.in(line.substring(at, end)) + line.substring(end)
        : line;
  }

  /** Whether a memory is of an action of the run, which stands in its history. */
  private static boolean ofThisRun(Memory memory, ActionPolicyExecutionState state) {
    return memory.kind().equals(MemoryCapability.OF_ACTION)
        && !memory.at().isBefore(state.request().at());
  }

  private static Map<String, JsonNode> variables(ActionPolicyExecutionState state) {
    Map<String, JsonNode> variables = new TreeMap<>();
    state
        .custom()
        .properties()
        .forEach(one -> {
          if (one.getKey().startsWith(VARIABLE)) {
            variables.put(one.getKey().substring(VARIABLE.length()), one.getValue());
          }
        });
    return variables;
  }

  /**
   * Ends the run or the turn as the model says, the references in what it gives resolved.
   *
   * @throws AgentException naming the first reference to what is not there
   */
  protected final Decision ended(ActionPolicyExecutionState state, Proposal.End end) {
    return switch (end) {
      case Proposal.End.Complete complete -> {
        Map<String, JsonNode> exports = new HashMap<>();
        complete.exports().forEach((name, value) -> exports.put(name, dispatcher().resolve(value)));
        JsonNode result = dispatcher().resolve(complete.result());
        learn(state, complete.learned());
        yield new Decision.Complete(
            new ActionPolicyOutput(true, result, exports, complete.learned()));
      }
      case Proposal.End.Idle idle -> new Decision.Idle();
      case Proposal.End.GiveUp giveUp ->
          new Decision.Fail(ErrorContext.of("gave-up", "gave up: " + giveUp.reason()));
    };
  }

  /** What a run has learned is remembered, once for each run and sentence. */
  private void learn(ActionPolicyExecutionState state, List<String> learned) {
    agent()
        .capability(MemoryCapability.class)
        .ifPresent(memory ->
            learned.forEach(text -> {
              String name = state.request().runId() + " learned " + text;
              memory.store(
                  new Note(
                      UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString(),
                      "learned",
                      text,
                      Set.of("learned"),
                      LEARNED_IMPORTANCE));
            }));
  }

  @Override
  protected Optional<String> reasoning(ActionPolicyExecutionState state, ActionCall call) {
    return Optional.ofNullable(PlannerNotes.of(state).why().get(call.action().actionId()));
  }

  private static List<String> both(Optional<List<String>> standing, List<String> ofRun) {
    return Stream.concat(standing.stream().flatMap(List::stream), ofRun.stream()).toList();
  }

  /** Decides what an agent does next. Used by one thread at a time. */
  @FunctionalInterface
  public interface Planner {

    /**
     * What is to be done next; may ask the model, and may block.
     *
     * @return a proposal, {@link Proposal.Unusable} where the model said nothing that can be done
     * @throws AgentException if the model cannot be asked
     */
    Proposal plan(PlanningContext context) throws Exception;
  }

  /**
   * What a run may still take, for its planner: iterations, time, tokens and money as far as the
   * agent's blueprint, the node or what people have granted bound them, and children where the
   * agent can spawn any.
   */
  static final class RunAllowance {

    private static final Logger LOG = LoggerFactory.getLogger(RunAllowance.class);
    private static final int SOME = 2;

    private static final String WRAP_UP =
        "Hardly anything is left of %s: you have one turn to finish. Call `complete` in this reply,"
            + " with what you have, and say what is missing.";

    private RunAllowance() {}

    /** What the model may do where a person can grant more. */
    private static String instead(RunBudget bounds) {
      return bounds.whenSpent() == RunBudget.WhenSpent.SUSPEND
          ? " If that would be of no use, go on, and say beside your calls what you have so far: a"
              + " person is asked for more."
          : "";
    }

    /** What is left, a line each. May block. */
    static List<String> left(Agent agent, ActionPolicyExecutionState state, boolean spawns) {
      RunBudget bounds = state.bounds();
      List<String> left = new ArrayList<>();
      ActionPolicyExecutionState.wrapUp(state.custom())
          .map(bound -> WRAP_UP.formatted(bound) + instead(bounds))
          .ifPresent(left::add);
      bounds
          .iterations()
          .ifPresent(most ->
              left.add("%,d of %,d iterations".formatted(most - state.iterationNum(), most)));
      bounds
          .tokens()
          .ifPresent(most -> {
            long used =
                state.stats().usage().promptTokens() + state.stats().usage().completionTokens();
            left.add("%,d of %,d tokens".formatted(Math.max(0, most - used), most));
          });
      bounds
          .cost()
          .ifPresent(most ->
              left.add(
                  "%s of %s in money"
                      .formatted(
                          most.subtract(state.stats().cost()).max(BigDecimal.ZERO).toPlainString(),
                          most.toPlainString())));
      state.overAt().ifPresent(end -> left.add(time(agent.blackboard().clock().instant(), end)));
      if (spawns) {
        children(agent).ifPresent(left::add);
      }
      return left;
    }

    /** In whole units, so that the line stays the same for a while. */
    private static String time(Instant now, Instant end) {
      Duration left = now.isBefore(end) ? Duration.between(now, end) : Duration.ZERO;
      if (left.toDays() >= SOME) {
        return left.toDays() + " days";
      }
      if (left.toHours() >= SOME) {
        return left.toHours() + " hours";
      }
      return left.toMinutes() >= SOME
          ? left.toMinutes() + " minutes"
          : left.toSeconds() + " seconds";
    }

    private static Optional<String> children(Agent agent) {
      try {
        return Optional.of("%,d more agents that work for you".formatted(agent.children().room()));
      } catch (BlackboardException unread) {
        LOG.debug("how many children {} may spawn is not shown", agent.id(), unread);
        return Optional.empty();
      }
    }
  }
}
