package dev.colony.agent.suspension;

import dev.colony.agent.AgentId;
import dev.colony.vcm.PageId;
import java.time.Instant;

/**
 * What is so at one moment, as far as it is known: {@code false} where it is not. The first four
 * are levels of the world, the last is what came within the suspension and stays.
 */
public interface ConditionFacts {

  /** Whether the agent has stopped or failed, or there is none. */
  boolean ended(AgentId agent);

  /** Whether the page is in the cache of some replica. */
  boolean resident(PageId page);

  /** Whether there is room, and it is the agent's turn. */
  boolean room();

  Instant now();

  /**
   * Whether a signal, an event or an approval has come, or a time was seen to have come by a
   * process whose clock may differ.
   */
  boolean come(ResumptionCondition leaf);
}
