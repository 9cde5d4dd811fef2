package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Scope;
import java.util.List;
import java.util.Optional;

/**
 * All that an agent is, as its journal tells it; also its snapshot.
 *
 * @param blueprint empty before the first event
 * @param incarnation of the last claim, counted from 1; 0 before it
 * @param node which made that claim
 * @param queue the accepted runs whose results are not published; the first is being executed
 * @param active how far that first one has come; empty if there is none
 * @param finished the runs published last, the newest at the end, as many as {@link
 *     RunLimits#rememberedRuns}
 * @param watches the scopes whose writes wake the agent
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record AgentSnapshot(
    Optional<AgentBlueprint> blueprint,
    long incarnation,
    String node,
    List<RunRequest> queue,
    Optional<ActiveRun> active,
    List<RunId> finished,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Watch> watches) {

  public static final AgentSnapshot UNBORN =
      new AgentSnapshot(Optional.empty(), 0, "", List.of(), Optional.empty(), List.of(), List.of());

  public AgentSnapshot {
    // Left out where it is empty.
    watches = watches == null ? List.of() : List.copyOf(watches);
  }

  /** Where an agent stands between two events. */
  public enum Phase {
    /** The journal is empty. */
    UNBORN,
    /** No run is accepted. */
    IDLE,
    /** A step begins: the policy is to be asked, or what it wants is under way. */
    PLANNING,
    /** The model has answered, and the policy is to be asked again. */
    ANSWERED,
    /** The model has not answered, and the policy is to be asked what to do. */
    MODEL_FAILED,
    /** An external action may have started. */
    INTENDED,
    /** The run has ended and its result is to be published. */
    ENDED
  }

  @JsonIgnore
  public Phase phase() {
    if (blueprint.isEmpty()) {
      return Phase.UNBORN;
    }
    if (active.isEmpty()) {
      return Phase.IDLE;
    }
    ActiveRun run = active.get();
    if (run.ended().isPresent()) {
      return Phase.ENDED;
    }
    if (run.intended().isPresent()) {
      return Phase.INTENDED;
    }
    if (run.failure().isPresent()) {
      return Phase.MODEL_FAILED;
    }
    return run.reply().isPresent() ? Phase.ANSWERED : Phase.PLANNING;
  }

  /** Whether anything is left to do. */
  public boolean outstanding() {
    return left() > 0;
  }

  /** How much is left to do: accepted runs, and scopes with writes that no run was started for. */
  int left() {
    return queue.size() + (int) watches.stream().filter(Watch::unread).count();
  }

  /** Whether no run has begun that has not ended. */
  boolean betweenRuns() {
    return active.map(ActiveRun::untouched).orElse(true);
  }

  Optional<Watch> watch(Scope scope) {
    return watches.stream().filter(watch -> watch.scope().equals(scope)).findFirst();
  }

  AgentSnapshot spawned(AgentBlueprint what) {
    return new AgentSnapshot(
        Optional.of(what), incarnation, node, queue, active, finished, watches);
  }

  AgentSnapshot claimed(long newIncarnation, String newNode) {
    return new AgentSnapshot(blueprint, newIncarnation, newNode, queue, active, finished, watches);
  }

  AgentSnapshot active(ActiveRun next) {
    return runs(queue, Optional.of(next), finished);
  }

  AgentSnapshot runs(List<RunRequest> newQueue, Optional<ActiveRun> run, List<RunId> newFinished) {
    return new AgentSnapshot(blueprint, incarnation, node, newQueue, run, newFinished, watches);
  }

  AgentSnapshot watches(List<Watch> all) {
    return new AgentSnapshot(blueprint, incarnation, node, queue, active, finished, all);
  }

  /** The same with another watch of the scope of this one. */
  AgentSnapshot watch(Watch changed) {
    return watches(
        watches.stream()
            .map(watch -> watch.scope().equals(changed.scope()) ? changed : watch)
            .toList());
  }
}
