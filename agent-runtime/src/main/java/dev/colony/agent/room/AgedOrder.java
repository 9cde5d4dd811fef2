package dev.colony.agent.room;

import dev.colony.agent.AgentId;
import dev.colony.agent.capacity.Aging;
import dev.colony.agent.capacity.PlaceRequest;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.resumption.RoomOrder;
import dev.colony.agent.suspension.Suspension;
import java.util.concurrent.CompletionStage;

/** Orders those who wait for room by when they came and by the head start of their priority. */
public record AgedOrder(AgentDirectory directory, Aging aging) implements RoomOrder {

  @Override
  public CompletionStage<Long> rank(AgentId agent, Suspension suspension) {
    return directory
        .find(agent)
        .thenApply(known ->
            known
                .map(entry ->
                    aging.rank(PlaceRequest.of(agent, entry.blueprint(), suspension.since())))
                .orElse(suspension.since().toEpochMilli()));
  }
}
