package dev.colony.agent.author;

import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.stream.ConsciousnessStream;
import java.util.List;
import java.util.Objects;

/**
 * Decides what an agent does. One is made for each agent on the node that owns it, from its
 * blueprint, when there is something to do; it is thrown away when there is nothing, so that what
 * must survive belongs in the execution state.
 *
 * <p>An implementation has one public constructor, which takes a {@link PolicyContext} and, if the
 * type has arguments, the record of these.
 */
public interface ActionPolicy {

  /**
   * One iteration: gather context, decide, act at most once. Runs on a virtual thread and may
   * block; the runtime calls it through the agent's hooks, as {@link
   * dev.colony.agent.author.JoinPoint.JoinPoints#ITERATION}. What has not become durable when a
   * crash comes is executed again, see {@link dev.colony.agent.author.StepJournal}.
   *
   * @throws Exception which ends the run as failed, with its message
   */
  ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state) throws Exception;

  /**
   * Called in place of the rest of an iteration that a crash cut off in the middle of an external
   * action, when that action has been brought to its end. What is changed here becomes durable with
   * the step.
   */
  default void observe(ActionPolicyExecutionState state, ActionCall call) {}

  /** What runs are given and give; held against both. */
  default ActionPolicyIO io() {
    return ActionPolicyIO.ANYTHING;
  }

  /**
   * Whether events that come while a run is open are given to that run's next iteration, and wake
   * it where it is idle or blocked; otherwise each batch of events is a run of its own.
   */
  default boolean takesEvents() {
    return false;
  }

  /**
   * What the owning node gives to an agent's policy.
   *
   * @param streams in the order of the blueprint; they hold no entries themselves
   */
  record PolicyContext(
      Agent agent,
      ActionDispatcher dispatcher,
      List<ConsciousnessStream> streams,
      PolicySettings settings) {

    public PolicyContext {
      Objects.requireNonNull(agent, "agent");
      Objects.requireNonNull(dispatcher, "dispatcher");
      Objects.requireNonNull(settings, "settings");
      streams = List.copyOf(streams);
    }

    /** With the default settings. */
    public PolicyContext(
        Agent agent, ActionDispatcher dispatcher, List<ConsciousnessStream> streams) {
      this(agent, dispatcher, streams, PolicySettings.DEFAULTS);
    }
  }
}
