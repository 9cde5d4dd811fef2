package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * Has suspended agents go on when their conditions hold. Thread-safe; no call blocks; stages fail
 * as the blackboard does, and what failed may be repeated: each of these makes of the second time
 * the same as of the first.
 *
 * <p>An agent is woken by a {@link dev.colony.client.AgentSignal.ConditionMet} in its inbox, which
 * names the suspension. It may come more than once, and late; the agent takes the first one of the
 * suspension that lasts, and no other.
 */
public interface Resumptions {

  /** Why an agent goes on, for people, where its condition holds. */
  String MET = "what it was suspended until has come";

  /**
   * Has an agent woken when what its suspension waits for has come, which is looked at before this
   * completes. Replaces what was entered for an earlier suspension of the agent; changes nothing
   * where a later one is entered. To be called after the suspension is journaled, again until it
   * completes. Without a condition it only takes the earlier one away.
   */
  CompletionStage<Void> enter(AgentId agent, Suspension suspension);

  /**
   * Forgets what was entered for a suspension of the agent, or for one before it.
   *
   * @param suspension its number; {@link Long#MAX_VALUE} for whatever is entered
   */
  CompletionStage<Void> leave(AgentId agent, long suspension);

  /**
   * Wakes those whose conditions hold now that something has happened.
   *
   * @return how many, when what wakes them is stored; who was woken already and has not gone on yet
   *     is not counted
   */
  CompletionStage<Integer> happened(Trigger trigger);

  /**
   * Notes something that a message has told of, and says which suspension of the agent ends by it.
   * No agent is woken: the caller has the agent go on from that suspension, or {@link #leave
   * forgets} it where the agent is in it no more, before the message is done with. That is one
   * message less to store, to read and to take out than {@link #happened} needs.
   *
   * @return empty if the agent does not go on
   */
  CompletionStage<OptionalLong> due(Trigger.Told told);

  /**
   * The condition with each {@link ResumptionCondition.Event} and {@link
   * ResumptionCondition.Approved} that does not say after which position beginning at what is the
   * end of its scope now: for an agent that is not suspended yet, must not miss what is written
   * until then, and must not take what was said before for an answer.
   */
  CompletionStage<ResumptionCondition> anchored(AgentId agent, ResumptionCondition condition);
}
