package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.step.Mind;
import dev.colony.blackboard.Scope;
import java.util.List;
import java.util.Optional;

/**
 * All that an agent is, as its journal tells it; also its snapshot. Small for an agent without
 * work: what is empty is shared.
 *
 * @param blueprint empty before the first event
 * @param state where it stands in its life
 * @param announced the state that the directory was told last; it is told of the end only
 * @param reason why it is suspended, unloaded or at its end, one line; empty otherwise
 * @param evicted whether it is suspended because its pages were evicted, and for that only
 * @param incarnation of the last claim, counted from 1; 0 before it
 * @param node which made that claim
 * @param queue the accepted runs whose results are not published; the first is being executed
 * @param active how far that first one has come; empty if there is none
 * @param finished the runs published last, the newest at the end, as many as {@link
 *     RunLimits#rememberedRuns}
 * @param watches the scopes whose writes wake the agent
 * @param mind what it keeps from run to run
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record AgentSnapshot(
    Optional<AgentBlueprint> blueprint,
    AgentState state,
    AgentState announced,
    Optional<String> reason,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean evicted,
    long incarnation,
    String node,
    List<QueuedRun> queue,
    Optional<ActiveRun> active,
    List<RunId> finished,
    List<Watch> watches,
    Mind mind) {

  public static final AgentSnapshot UNBORN =
      new AgentSnapshot(
          Optional.empty(),
          AgentState.INITIALIZED,
          AgentState.INITIALIZED,
          Optional.empty(),
          false,
          0,
          "",
          List.of(),
          Optional.empty(),
          List.of(),
          List.of(),
          Mind.EMPTY);

  public AgentSnapshot {
    // What is empty is left out where it is stored.
    blueprint = blueprint == null ? Optional.empty() : blueprint;
    reason = reason == null ? Optional.empty() : reason;
    node = node == null ? "" : node;
    queue = queue == null ? List.of() : List.copyOf(queue);
    active = active == null ? Optional.empty() : active;
    finished = finished == null ? List.of() : List.copyOf(finished);
    watches = watches == null ? List.of() : List.copyOf(watches);
    mind = mind == null || mind.equals(Mind.EMPTY) ? Mind.EMPTY : mind;
  }

  /** Where an agent's work stands between two events. */
  public enum Phase {
    /** The journal is empty. */
    UNBORN,
    /** No run is accepted. */
    RESTING,
    /** A step has begun, or may begin. */
    ITERATING,
    /** An external action may have started. */
    INTENDED,
    /** The run waits for an event, or for what blocks it. */
    PARKED,
    /** The run has ended and its result is to be published. */
    ENDED
  }

  @JsonIgnore
  public Phase phase() {
    if (blueprint.isEmpty()) {
      return Phase.UNBORN;
    }
    if (active.isEmpty()) {
      return Phase.RESTING;
    }
    ActiveRun run = active.get();
    if (run.ended().isPresent()) {
      return Phase.ENDED;
    }
    if (run.intended().isPresent()) {
      return Phase.INTENDED;
    }
    return run.parked().isPresent() ? Phase.PARKED : Phase.ITERATING;
  }

  /** Whether anything is left to do, now. */
  public boolean outstanding() {
    return left() > 0;
  }

  /** How much is left to do now: see {@link AgentEvent}. */
  int left() {
    return switch (state) {
      case SUSPENDED, UNLOADED -> 0;
      case STOPPED, FAILED -> queue.size() + (announced == state ? 0 : 1);
      case INITIALIZED, RUNNING, WAITING, LOADED, IDLE ->
          queue.size() + (int) watches.stream().filter(Watch::unread).count();
    };
  }

  /** Whether the run that is executed is wanted no longer, or never can be executed. */
  boolean ending() {
    return state.terminal() || !queue.isEmpty() && queue.getFirst().cancelled().isPresent();
  }

  /** Of an agent that is born. */
  AgentKind kind() {
    return born().kind();
  }

  /** What the agent's blueprint lets a run take. */
  RunBudget budget() {
    return born().budget();
  }

  private AgentBlueprint born() {
    return blueprint.orElseThrow(() -> new IllegalStateException("no agent yet"));
  }

  Optional<Watch> watch(Scope scope) {
    return watches.stream().filter(watch -> watch.scope().equals(scope)).findFirst();
  }

  /** The same agent, with its blueprint. */
  public AgentSnapshot spawned(AgentBlueprint what) {
    return new AgentSnapshot(
        Optional.of(what),
        state,
        announced,
        reason,
        evicted,
        incarnation,
        node,
        queue,
        active,
        finished,
        watches,
        mind);
  }

  AgentSnapshot claimed(long newIncarnation, String newNode) {
    return new AgentSnapshot(
        blueprint,
        state,
        announced,
        reason,
        evicted,
        newIncarnation,
        newNode,
        queue,
        active,
        finished,
        watches,
        mind);
  }

  /** In another state, or in the same for another reason. */
  AgentSnapshot moved(AgentState to, Optional<String> why, boolean byEviction) {
    return new AgentSnapshot(
        blueprint,
        to,
        announced,
        why,
        byEviction,
        incarnation,
        node,
        queue,
        active,
        finished,
        watches,
        mind);
  }

  /** Moved by its own work, if the table says so; otherwise the same. */
  AgentSnapshot moved(LifecycleCommand implied) {
    return Transitions.of(state, implied, kind()) instanceof Transition.To to
        ? moved(to.to(active.isPresent()), reason, evicted)
        : this;
  }

  AgentSnapshot announced(AgentState told) {
    return new AgentSnapshot(
        blueprint,
        state,
        told,
        reason,
        evicted,
        incarnation,
        node,
        queue,
        active,
        finished,
        watches,
        mind);
  }

  AgentSnapshot runs(List<QueuedRun> newQueue, Optional<ActiveRun> run, List<RunId> newFinished) {
    return new AgentSnapshot(
        blueprint,
        state,
        announced,
        reason,
        evicted,
        incarnation,
        node,
        newQueue,
        run,
        newFinished,
        watches,
        mind);
  }

  AgentSnapshot active(ActiveRun next) {
    return runs(queue, Optional.of(next), finished);
  }

  AgentSnapshot queue(List<QueuedRun> other) {
    return runs(other, active, finished);
  }

  /** The same with these watches. */
  public AgentSnapshot watches(List<Watch> all) {
    return new AgentSnapshot(
        blueprint,
        state,
        announced,
        reason,
        evicted,
        incarnation,
        node,
        queue,
        active,
        finished,
        all,
        mind);
  }

  /** The same with another watch of the scope of this one. */
  AgentSnapshot watch(Watch changed) {
    return watches(
        watches.stream()
            .map(watch -> watch.scope().equals(changed.scope()) ? changed : watch)
            .toList());
  }

  AgentSnapshot mind(Mind next) {
    return new AgentSnapshot(
        blueprint,
        state,
        announced,
        reason,
        evicted,
        incarnation,
        node,
        queue,
        active,
        finished,
        watches,
        next);
  }
}
