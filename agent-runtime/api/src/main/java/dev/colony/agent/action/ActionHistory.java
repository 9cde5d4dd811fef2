package dev.colony.agent.action;

import java.util.List;
import java.util.Optional;

/**
 * The actions of a run, the oldest first, found by their ids at a cost that does not grow with
 * their number. Immutable; thread-safe.
 */
public interface ActionHistory extends List<ActionCall> {

  /** The action of exactly this id; empty if it is not among them. Constant cost. */
  Optional<ActionCall> call(String actionId);

  /**
   * The latest of the executions of an action: its repetitions under {@link Action#next} included.
   * Empty if there is none. Constant cost.
   */
  Optional<ActionCall> latest(String actionId);

  /**
   * Those that asked for a person's answer and were not dispatched again since, in the order in
   * which they asked first. Cost: linear in how many of the run's actions have asked.
   */
  List<ActionCall> pending();
}
