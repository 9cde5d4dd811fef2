package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.suspension.Suspension;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.capacity.Aging;
import dev.colony.core.capacity.SlotRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** In which order those who wait for capacity stand. */
@FunctionalInterface
public interface WaitOrder {

  /** Who waits longest comes first. */
  WaitOrder BY_AGE =
      (agent, suspension) -> CompletableFuture.completedStage(suspension.since().toEpochMilli());

  /**
   * The agent's rank among those of its tenant, lowest first; 0 to {@link WaitOrder#MOST}, what is
   * beyond counts as the nearest of these. Asked when the agent is entered, once.
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
