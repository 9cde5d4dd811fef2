package dev.colony.agent.admission;

import dev.colony.agent.AgentId;
import dev.colony.agent.capacity.Aging;
import dev.colony.agent.capacity.SlotRequest;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.resumption.WaitOrder;
import dev.colony.agent.suspension.Suspension;
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
