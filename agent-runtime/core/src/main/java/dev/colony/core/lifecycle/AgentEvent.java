package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is journaled. Runs are worked off in order, so that events need not name theirs. A component
 * {@code left} says how much the agent has to do after the event: accepted runs, scopes with writes
 * to read, an end to announce, a move; while it is suspended, results to publish and the suspension
 * to enter; 0 if it has nothing to do.
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public sealed interface AgentEvent {

  /** By the clock of the node that journaled it. */
  Instant at();

  /** Whether work is outstanding from this event on; empty if it does not change that. */
  default Optional<Boolean> outstanding() {
    return switch (this) {
      case RunAccepted accepted -> accepted.left() == 1 ? Optional.of(true) : Optional.empty();
      case EventsNoticed noticed -> noticed.left() > 0 ? Optional.of(true) : Optional.empty();
      case ResultPublished published -> Optional.of(published.left() > 0);
      case ScopesWatched watched -> Optional.of(watched.left() > 0);
      case EventsTaken taken -> Optional.of(taken.left() > 0);
      case Transitioned moved -> Optional.of(moved.left() > 0);
      case Announced announced -> Optional.of(announced.left() > 0);
      case SuspensionEntered entered -> Optional.of(entered.left() > 0);
      case Rehomed moved -> Optional.of(moved.left() > 0);
      case RehomeConfirmed known -> Optional.of(known.left() > 0);
      case CancelRequested cancelled -> cancelled.left() > 0 ? Optional.of(true) : Optional.empty();
      case RewindRequested requested -> Optional.of(requested.left() > 0);
      case RewindRefused refused -> Optional.of(refused.left() > 0);
      case RunRewound rewound -> Optional.empty();
      case Forked forked -> Optional.empty();
      case Approved approved -> Optional.empty();
      case SignalApplied applied -> Optional.empty();
      case Spawned spawned -> Optional.empty();
      case BlueprintRevised revised -> Optional.empty();
      case Claimed claimed -> Optional.empty();
      case ModelAsked asked -> Optional.empty();
      case ModelAnswered answered -> Optional.empty();
      case ModelFailed failed -> Optional.empty();
      case ActionIntended intended -> Optional.empty();
      case ActionBegun begun -> Optional.empty();
      case ActionEnded ended -> Optional.empty();
      case StepCompleted step -> Optional.empty();
      // Its result is to be published, wherever the agent stands.
      case RunCompleted completed -> Optional.of(true);
    };
  }

  /** The agent's first event. */
  @JsonTypeName("agent-spawned")
  record Spawned(AgentBlueprint blueprint, Instant at) implements AgentEvent {}

  /**
   * A new incarnation has taken over; whatever an earlier one still does is void.
   *
   * @param recoveries claims in a row, this one included, between which the agent has not got on
   */
  @JsonTypeName("agent-claimed")
  record Claimed(
      long incarnation,
      String node,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) int recoveries,
      Instant at)
      implements AgentEvent {

    /** One of an agent that gets on. */
    public Claimed(long incarnation, String node, Instant at) {
      this(incarnation, node, 0, at);
    }
  }

  /** The agent was forked from another; it has done nothing yet itself. */
  @JsonTypeName("agent-forked")
  record Forked(ForkSeed forkSeed, Instant at) implements AgentEvent {}

  /**
   * A run that has ended is to be executed again from one of its steps on.
   *
   * @param reason one line for people; may be empty
   */
  @JsonTypeName("rewind-requested")
  record RewindRequested(Rewinding rewinding, String reason, int left, Instant at)
      implements AgentEvent {}

  /** It is not executed again, for this reason. */
  @JsonTypeName("rewind-refused")
  record RewindRefused(String reason, int left, Instant at) implements AgentEvent {}

  /**
   * A part of what the run begins its next attempt with; behind the last one, in the same append,
   * the run is accepted again.
   *
   * @param first whether it is the first part
   */
  @JsonTypeName("run-rewound")
  record RunRewound(
      ForkSeed kept, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean first, Instant at)
      implements AgentEvent {}

  /** A run will be executed. */
  @JsonTypeName("run-accepted")
  record RunAccepted(RunRequest request, int left, Instant at) implements AgentEvent {}

  /**
   * The model is about to be asked within the current step. One that is asked again under the same
   * name was cut off before; both count.
   *
   * @param name of the call within the step
   * @param promptTokens of its prompt, estimated: for so many it counts until it is answered, and
   *     for good if it is not
   * @param cost of these, by the prices of then; empty for none
   */
  @JsonTypeName("model-asked")
  record ModelAsked(String name, long promptTokens, Optional<BigDecimal> cost, Instant at)
      implements AgentEvent {}

  /**
   * The model answered within the current step.
   *
   * @param name of the call within the step
   * @param paged whether the call carried pages, so that residency means something
   * @param cost by the prices of then; empty for none
   */
  @JsonTypeName("model-answered")
  record ModelAnswered(
      String name, InferenceReply reply, boolean paged, Optional<BigDecimal> cost, Instant at)
      implements AgentEvent {}

  /**
   * A model call within the current step has failed, and has used something nevertheless: as
   * replies of no use do, and those that broke off. One that is made again under the same name
   * counts for itself.
   *
   * @param name of the call within the step
   * @param usage of all its completions
   * @param cost by the prices of then; empty for none
   */
  @JsonTypeName("model-failed")
  record ModelFailed(String name, Usage usage, Optional<BigDecimal> cost, Instant at)
      implements AgentEvent {}

  /**
   * An action with an external effect is about to start.
   *
   * @param delta what its iteration has changed so far; not in force before the step has completed
   */
  @JsonTypeName("action-intended")
  record ActionIntended(Action action, boolean retryable, StepDelta delta, Instant at)
      implements AgentEvent {}

  /**
   * An external action is about to start, or to be executed again after a crash, in a step that has
   * several.
   *
   * @param action its references resolved
   * @param retryable whether it may be executed again under the same idempotency key
   * @param approval the person's answer that it uses up, if it does, as its iteration names it
   */
  @JsonTypeName("action-begun")
  record ActionBegun(Action action, boolean retryable, Optional<String> approval, Instant at)
      implements AgentEvent {}

  /**
   * An action has ended in a step that has several. It counts from here on, and is in the history
   * from the end of the step on.
   *
   * @param approval as with its beginning; also of one that is not external
   * @param cost of its model calls, by the prices of then; empty for none
   */
  @JsonTypeName("action-ended")
  record ActionEnded(
      ActionCall call, Optional<String> approval, Optional<BigDecimal> cost, Instant at)
      implements AgentEvent {}

  /**
   * The current step, counted from 0, has ended.
   *
   * @param call its action, if it had one and not several
   * @param delta all that it has changed
   * @param cost of the action's model calls, by the prices of then; empty for none
   * @param blocked why the run goes on only when something has happened
   * @param error what went wrong in it
   */
  @JsonTypeName("step-completed")
  record StepCompleted(
      int step,
      Optional<ActionCall> call,
      StepDelta delta,
      Optional<BigDecimal> cost,
      Optional<Blocked> blocked,
      Optional<ErrorContext> error,
      Instant at)
      implements AgentEvent {}

  /** The current run has ended; its result is not on the blackboard yet. */
  @JsonTypeName("run-completed")
  record RunCompleted(AgentRun run, Instant at) implements AgentEvent {}

  /** An accepted run will end as cancelled, unless it ends by itself before. */
  @JsonTypeName("cancel-requested")
  record CancelRequested(RunId runId, String reason, int left, Instant at) implements AgentEvent {}

  @JsonTypeName("result-published")
  record ResultPublished(RunId runId, int left, Instant at) implements AgentEvent {}

  /** The blackboard wakes the agent for writes to these scopes, and for no others. */
  @JsonTypeName("scopes-watched")
  record ScopesWatched(List<Watch> watches, int left, Instant at) implements AgentEvent {}

  /** A write at this position woke the agent; it will be read. */
  @JsonTypeName("events-noticed")
  record EventsNoticed(Scope scope, Position position, int left, Instant at)
      implements AgentEvent {}

  /**
   * The writes of a scope up to a position are in a run that was accepted with this event, or in
   * the one that is open, or there were none.
   *
   * @param delivered to the run that is open
   * @param next the first write after them that is known
   */
  @JsonTypeName("events-taken")
  record EventsTaken(
      Scope scope,
      Optional<EventBatch> delivered,
      Position upTo,
      Optional<Position> next,
      int left,
      Instant at)
      implements AgentEvent {}

  /**
   * The agent was moved from one state to another other than by its work.
   *
   * @param reason one line for people; may be empty
   * @param suspension that begins with it
   */
  @JsonTypeName("state-changed")
  record Transitioned(
      LifecycleCommand command,
      AgentState from,
      AgentState to,
      String reason,
      Optional<Suspension> suspension,
      int left,
      Instant at)
      implements AgentEvent {}

  /** The suspension of this number is in the index of those that wait. */
  @JsonTypeName("suspension-entered")
  record SuspensionEntered(long suspension, int left, Instant at) implements AgentEvent {}

  /**
   * The signal about the agent's life that was given there is done with what is journaled beside
   * this.
   *
   * @param signal where it was said, in the agent's own scope
   */
  @JsonTypeName("signal-applied")
  record SignalApplied(Position signal, Instant at) implements AgentEvent {}

  /** A person has said yes or no to something that the run or the suspension waits for. */
  @JsonTypeName("approval-given")
  record Approved(Approval approval, Instant at) implements AgentEvent {}

  /**
   * The agent lives in another placement unit from here on.
   *
   * @param reason one line for people; may be empty
   */
  @JsonTypeName("agent-rehomed")
  record Rehomed(int unit, String reason, int left, Instant at) implements AgentEvent {}

  @JsonTypeName("rehome-confirmed")
  record RehomeConfirmed(int unit, int left, Instant at) implements AgentEvent {}

  /**
   * The agent lives by another blueprint from its next step on.
   *
   * @param reason one line for people; may be empty
   */
  @JsonTypeName("blueprint-revised")
  record BlueprintRevised(AgentBlueprint blueprint, Revision revision, String reason, Instant at)
      implements AgentEvent {}

  @JsonTypeName("end-announced")
  record Announced(AgentState state, int left, Instant at) implements AgentEvent {}

  /**
   * The last change of an agent's blueprint. The blueprint is in force from the next step on: one
   * that is under way goes on with what it has begun with.
   *
   * @param number of the change, counted from 1
   * @param signal where it was asked for, in the agent's own scope; empty for what the runtime
   *     wants
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Revision(int number, Optional<Position> signal) {

    public Revision {
      signal = signal == null ? Optional.empty() : signal;
    }

    /** A change that was overtaken by a later one makes no difference. */
    static Verdict decide(
        AgentSnapshot state, Intent.Revise revise, Optional<Position> signal, Instant at) {
      if (state.state().terminal()) {
        return new Verdict.Refused("the agent is " + state.state() + " for good");
      }
      Optional<Position> last = state.revision().flatMap(Revision::signal);
      if (signal.isPresent() && last.filter(one -> signal.get().compareTo(one) <= 0).isPresent()) {
        return new Verdict.Repeated();
      }
      AgentBlueprint current = state.blueprint().orElseThrow();
      AgentBlueprint next;
      try {
        next = revise.change().of(current);
      } catch (IllegalArgumentException unfit) {
        return new Verdict.Refused(ReasonText.line(unfit.getMessage()));
      }
      if (next.equals(current)) {
        return new Verdict.Repeated();
      }
      int number = state.revision().map(Revision::number).orElse(0) + 1;
      return Verdict.journal(
          new AgentEvent.BlueprintRevised(
              next, new Revision(number, signal), ReasonText.line(revise.reason()), at));
    }

    static AgentSnapshot apply(AgentSnapshot state, AgentEvent.BlueprintRevised revised) {
      return state
          .revised(revised.blueprint(), revised.revision())
          .memory(kept(state.memory(), revised.blueprint()));
    }

    /**
     * What an agent keeps of a blueprint that was changed: what its capabilities and streams that
     * are gone have left is forgotten.
     */
    static DurableMemory kept(DurableMemory memory, AgentBlueprint blueprint) {
      Set<String> streams =
          blueprint.streams().stream().map(StreamBlueprint::name).collect(Collectors.toSet());
      Set<String> keys =
          blueprint.capabilities().stream()
              .map(CapabilityBlueprint::capabilityKey)
              .collect(Collectors.toSet());
      Map<String, List<StreamEntry>> shown = new HashMap<>(memory.streams());
      shown.keySet().retainAll(streams);
      Map<String, JsonNode> snapshots = new HashMap<>(memory.capabilities());
      snapshots.keySet().retainAll(keys);
      Set<String> disabled = new HashSet<>(memory.disabled());
      disabled.retainAll(keys);
      return new DurableMemory(shown, snapshots, disabled, memory.policy());
    }
  }
}
