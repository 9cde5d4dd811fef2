package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.Suspension;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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

  /** In which order those who wait for capacity stand. */
  @FunctionalInterface
  public interface WaitOrder {

    /** Who waits longest comes first. */
    WaitOrder BY_AGE =
        (agent, suspension) -> CompletableFuture.completedStage(suspension.since().toEpochMilli());

    /**
     * The agent's rank among those of its tenant, lowest first; 0 to {@link WaitOrder#MOST}, what
     * is beyond counts as the nearest of these. Asked when the agent is entered, once.
     */
    CompletionStage<Long> rank(AgentId agent, Suspension suspension);

    /** By when they came and by the head start of their priority. */
    static WaitOrder aged(AgentDirectory directory, Aging aging) {
      return (agent, suspension) ->
          directory
              .find(agent)
              .thenApply(known ->
                  known
                      .map(entry ->
                          aging.rank(SlotRequest.of(agent, entry.blueprint(), suspension.since())))
                      .orElse(suspension.since().toEpochMilli()));
    }

    /** The last rank. */
    long MOST = 999_999_999_999_999L;
  }
}
