package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How far the run at the head of the queue has come. Immutable; no reader may change {@code
 * custom}.
 *
 * @param history the actions of the completed steps, the newest of them in a run of very many
 * @param custom the policy's own entries
 * @param session in which the run is now
 * @param grants what people have said to what it asked for
 * @param rewound present in another attempt than the first
 * @param stepState the current step
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ActiveRun(
    RunStats stats,
    SharedActionHistory history,
    ObjectNode custom,
    Optional<SessionId> session,
    Grants grants,
    Optional<Rewound> rewound,
    @JsonUnwrapped StepState stepState) {

  public ActiveRun {
    history = history == null ? SharedActionHistory.none() : history;
    custom = custom == null ? JsonNodeFactory.instance.objectNode() : custom;
    session = session == null ? Optional.empty() : session;
    grants = grants == null ? Grants.NONE : grants;
    rewound = rewound == null ? Optional.empty() : rewound;
    stepState = stepState == null ? StepState.FIRST : stepState;
  }

  /** One that nothing has come of yet; what started it is its first event, if events did. */
  static ActiveRun begun(RunRequest request) {
    return new ActiveRun(
        RunStats.NONE,
        SharedActionHistory.none(),
        null,
        request.context().session(),
        Grants.NONE,
        Optional.empty(),
        StepState.FIRST.delivered(EventBatch.of(request).map(List::of).orElse(List.of())));
  }

  /**
   * One that goes on from where the run of another agent was, or it itself before. What it has
   * spent before stays spent.
   */
  static ActiveRun begun(RunRequest request, ForkSeed from) {
    ActiveRun fresh = begun(request);
    RunStats spent = from.rewound().map(Rewound::spent).orElse(RunStats.NONE);
    return new ActiveRun(
        new RunStats(
            from.steps(),
            spent.modelCalls(),
            spent.usage(),
            spent.placementHits(),
            spent.placementMisses(),
            spent.cost(),
            spent.models()),
        from.history(),
        from.custom(),
        fresh.session,
        fresh.grants,
        from.rewound(),
        fresh.stepState);
  }

  /**
   * The idempotency key of an action of a step: in a later attempt that of before, where it comes
   * up again and may have taken effect.
   *
   * @param stepName see {@link Effects#stepName}
   */
  public String key(String stepName, Action action) {
    return rewound
        .flatMap(past -> past.deed(action))
        .map(Rewound.Deed::key)
        .orElseGet(() -> Effects.idempotencyKey(stepName, action.actionId()));
  }

  /** The model's replies within the current step, by the calls' names. */
  public Map<String, InferenceReply> replies() {
    return stepState.replies();
  }

  /** For the current step. */
  public List<EventBatch> events() {
    return stepState.events();
  }

  /** The external action that may have started within the current step. */
  public Optional<Intended> intended() {
    return stepState.intended();
  }

  /** Those of the current step, where it has several. */
  public StepActions actions() {
    return stepState.actions();
  }

  /** Whether an action that acts upon the world may have started and is not known to have ended. */
  public boolean acting() {
    return intended().isPresent() || !actions().begun().isEmpty();
  }

  /**
   * Whether the step ends in any state: it has begun an external action, or ended one of several.
   */
  boolean irrevocable() {
    return intended().isPresent() || !actions().none();
  }

  public Optional<Blocked> blocked() {
    return stepState.blocked();
  }

  /** The run's end, while its result waits to be published. */
  public Optional<AgentRun> ended() {
    return stepState.ended();
  }

  /** What people have said to what the run asked for, by the requests' names. */
  public Map<String, Approval> approvals() {
    return grants.approvals();
  }

  /** Since when the current step has waited for room on a node, over whatever suspensions. */
  public Optional<Instant> capacityWait() {
    return stepState.capacityWait();
  }

  /** Whether its policy may be asked for the next step or is being asked. */
  boolean iterating() {
    return intended().isEmpty() && blocked().isEmpty() && ended().isEmpty();
  }

  /** Whether the current step has left nothing in the journal yet. */
  boolean betweenSteps() {
    return replies().isEmpty() && intended().isEmpty() && actions().none() && ended().isEmpty();
  }

  /** Whether nothing has come of it yet. */
  boolean untouched() {
    return stats.steps() == 0 && betweenSteps();
  }

  /** What it has taken, without the calls that may be answered yet. */
  RunStats spent() {
    RunStats spent = stats;
    for (Asked open : stepState.asked().values()) {
      spent = spent.plus(open.withdrawn());
    }
    return spent;
  }

  /** With a call that has begun, which counts as its prompt. */
  ActiveRun asked(String name, long promptTokens, BigDecimal cost) {
    Asked call = new Asked(promptTokens, cost);
    return stepState(stats.plus(call.counted()), stepState.asked(name, call));
  }

  /** With what the call took in place of what it was taken to. */
  ActiveRun answered(String name, InferenceReply reply, boolean paged, BigDecimal cost) {
    Optional<Asked> before = Optional.ofNullable(stepState.asked().get(name));
    boolean first = paged && stats.placementHits() + stats.placementMisses() == 0;
    RunStats call =
        new RunStats(
            0,
            before.isPresent() ? 0 : 1,
            reply.usage(),
            first && reply.resident() ? 1 : 0,
            first && !reply.resident() ? 1 : 0,
            cost,
            List.of(reply.answeredBy()));
    RunStats taken = stats.plus(before.map(Asked::withdrawn).orElse(RunStats.NONE)).plus(call);
    return stepState(taken, stepState.answered(name, reply));
  }

  /** With what a call took that failed, in place of what it was taken to. */
  ActiveRun failed(String name, Usage usage, BigDecimal cost) {
    Optional<Asked> before = Optional.ofNullable(stepState.asked().get(name));
    RunStats taken =
        stats
            .plus(before.map(Asked::withdrawn).orElse(RunStats.NONE))
            .plus(new RunStats(0, 0, usage, 0, 0, cost, List.of()));
    return stepState(taken, stepState.failed(name));
  }

  ActiveRun intended(Intended action) {
    return stepState(stepState.intended(action));
  }

  /**
   * @param windowBytes how much of its actions the run keeps
   */
  ActiveRun stepped(AgentEvent.StepCompleted step, long windowBytes) {
    SharedActionHistory grown = history;
    for (ActionCall one : actions().ended()) {
      grown = grown.plus(one);
    }
    grown = step.call().map(grown::plus).orElse(grown);
    return new ActiveRun(
        stats.plus(StepEnd.taken(1, step.call(), step.cost())),
        grown == history ? history : grown.newest(windowBytes),
        changed(step.delta().custom()),
        step.delta().session().or(() -> session),
        grants,
        rewound.map(past -> step.call().map(past::after).orElse(past)),
        StepState.begun(step.blocked()));
  }

  /** With an external action of several that has begun. */
  ActiveRun acting(AgentEvent.ActionBegun begun, long incarnation) {
    StepActions.Begun open = new StepActions.Begun(begun.action(), begun.retryable(), incarnation);
    return stepState(stepState.actions(actions().begun(open, begun.approval())));
  }

  /** With the end of one of several actions, and what it has taken. */
  ActiveRun acted(AgentEvent.ActionEnded ended) {
    return new ActiveRun(
        stats.plus(StepEnd.taken(0, Optional.of(ended.call()), ended.cost())),
        history,
        custom,
        session,
        grants,
        rewound.map(past -> past.after(ended.call())),
        stepState.actions(actions().ended(ended.call(), ended.approval())));
  }

  /** The entries with some of them changed; JSON null takes one away. */
  ObjectNode changed(ObjectNode changes) {
    return StepDelta.applied(custom, changes);
  }

  /** The same with an event for the next step, which need not wait any longer. */
  ActiveRun delivered(EventBatch batch) {
    return stepState(stepState.delivered(List.of(batch)));
  }

  ActiveRun unblocked() {
    return stepState(stepState.delivered(List.of()));
  }

  ActiveRun capacityWait(Instant since) {
    return stepState(stepState.capacityWait(capacityWait().orElse(since)));
  }

  ActiveRun approved(Approval approval) {
    return new ActiveRun(
        stats, history, custom, session, grants.plus(approval), rewound, stepState);
  }

  /** At its end; what only further steps would need is let go. */
  ActiveRun ended(AgentRun run) {
    return new ActiveRun(
        stats,
        SharedActionHistory.none(),
        null,
        session,
        Grants.NONE,
        Optional.empty(),
        StepState.last(run));
  }

  private ActiveRun stepState(StepState next) {
    return stepState(stats, next);
  }

  private ActiveRun stepState(RunStats taken, StepState next) {
    return new ActiveRun(taken, history, custom, session, grants, rewound, next);
  }

  /**
   * What people have said to what a run asked for.
   *
   * @param approvals the last answer to each request, by its name
   * @param budgets how many times more it may spend what it may
   * @param budget the last grant of that
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Grants(
      Map<String, Approval> approvals,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) int budgets,
      Optional<Approval> budget) {

    /** What a run asks for that has spent its budget; see {@link SuspensionCause#BUDGET}. */
    public static final String BUDGET = "budget";

    static final Grants NONE = new Grants(Map.of(), 0, Optional.empty());

    public Grants {
      approvals = approvals == null ? Map.of() : Map.copyOf(approvals);
      budget = budget == null ? Optional.empty() : budget;
    }

    /** A granted budget is worth itself once, and asked for again when that is spent. */
    Grants plus(Approval approval) {
      if (approval.request().equals(BUDGET) && approval.granted()) {
        return new Grants(approvals, budgets + 1, Optional.of(approval));
      }
      Map<String, Approval> more = new HashMap<>(approvals);
      more.put(approval.request(), approval);
      return new Grants(more, budgets, budget);
    }
  }

  /**
   * Why a run rests between two iterations, until an event comes or a caller ends the wait.
   *
   * @param idle whether it has nothing to do; otherwise it is blocked
   * @param reason why it is blocked, one line; empty for an idle one
   * @param blockingAgentIds the agents that it waits for
   * @param until what it waits for, where that is not just those agents
   * @param since when it began to
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Blocked(
      boolean idle,
      String reason,
      List<AgentId> blockingAgentIds,
      Optional<ResumptionCondition> until,
      Instant since) {

    public Blocked {
      reason = reason == null ? "" : reason;
      blockingAgentIds = blockingAgentIds == null ? List.of() : List.copyOf(blockingAgentIds);
      until = until == null ? Optional.empty() : until;
      since = since == null ? Instant.EPOCH : since;
    }

    /** What it waits for, other than writes and approvals; empty for nothing. */
    Optional<ResumptionCondition> condition() {
      return until.or(() ->
          blockingAgentIds.isEmpty()
              ? Optional.empty()
              : Optional.of(new ResumptionCondition.ChildrenCompleted(blockingAgentIds)));
    }

    /**
     * How to wait for the same without being in memory.
     *
     * @param overAt when the run's time is over
     * @param events whether writes that the agent handles end the wait
     */
    Intent.Suspend suspend(Instant overAt, boolean events) {
      ResumptionCondition over = new ResumptionCondition.At(overAt);
      ResumptionCondition any =
          condition()
              .<ResumptionCondition>map(own -> ResumptionCondition.any(own, over))
              .orElse(over);
      boolean asks = any.leaves().anyMatch(ResumptionCondition.Approved.class::isInstance);
      return new Intent.Suspend(
          asks ? SuspensionCause.APPROVAL : SuspensionCause.BLOCKED,
          reason,
          Optional.of(any),
          events);
    }
  }

  /** What a model call that has begun counts for until it is answered. */
  public record Asked(long promptTokens, BigDecimal cost) {

    /** The call, taken to use what its prompt has. */
    RunStats counted() {
      return new RunStats(0, 1, new Usage(promptTokens, 0, 0), 0, 0, cost, List.of());
    }

    /** Takes back what it was taken to use; that it was made stays counted. */
    RunStats withdrawn() {
      return new RunStats(0, 0, new Usage(-promptTokens, 0, 0), 0, 0, cost.negate(), List.of());
    }
  }
}
