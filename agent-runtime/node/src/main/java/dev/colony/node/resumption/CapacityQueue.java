package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The suspended agents that wait for capacity, alone or among other things. Reading it costs as
 * much as is read. The admission scheduler announces that an agent may have capacity with a {@link
 * Trigger.CapacityFreed}. Thread-safe; no call blocks; stages fail as the blackboard does.
 */
public interface CapacityQueue {

  /**
   * A suspended agent that waits for capacity.
   *
   * @param suspension its number
   * @param rank see {@link WaitOrder}
   */
  record Waiting(AgentId agent, long suspension, long rank) {}

  /**
   * Tenants of which agents wait, in the order of their names.
   *
   * @param limit at least 1; fewer come only if there are no more
   * @param after the last one of the page before
   */
  CompletionStage<List<String>> tenants(int limit, Optional<String> after);

  /**
   * Those of a tenant who wait, in the order of their ranks, lowest first. Who was woken is not
   * among them.
   *
   * @param limit at least 1; fewer come only if there are no more
   * @param after the last one of the page before
   */
  CompletionStage<List<Waiting>> waiting(String tenant, int limit, Optional<Waiting> after);
}
