package dev.colony.node.admission;

import dev.colony.agent.AgentId;
import dev.colony.agent.suspension.Suspension;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.capacity.Aging;
import dev.colony.core.capacity.SlotRequest;
import dev.colony.node.resumption.WaitOrder;
import java.util.concurrent.CompletionStage;

/** Orders those who wait for capacity by when they came and by the head start of their priority. */
public record AgedWaitOrder(AgentDirectory directory, Aging aging) implements WaitOrder {

  @Override
  public CompletionStage<Long> rank(AgentId agent, Suspension suspension) {
    return directory
        .find(agent)
        .thenApply(known ->
            known
                .map(entry ->
                    aging.rank(SlotRequest.of(agent, entry.blueprint(), suspension.since())))
                .orElse(suspension.since().toEpochMilli()));
  }
}
