package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.directory.DirectoryEntry;
import dev.colony.agent.home.Homes;
import dev.colony.vcm.table.NodeAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Has agents that do nothing live in another placement unit. The agent journals it under its claim,
 * so that it is done or not whatever dies; one that works refuses, and stays where it is.
 * Thread-safe.
 */
final class Rehoming {

  private final Optional<Homes> homes;
  private final AgentDirectory directory;
  private final AgentDoor door;

  /**
   * @param homes empty where nobody knows of pages and nodes: then agents stay
   */
  Rehoming(Optional<Homes> homes, AgentDirectory directory, AgentDoor door) {
    this.homes = homes;
    this.directory = directory;
    this.door = door;
  }

  /**
   * The unit in which an agent is that is about to go on, moved there if another suits it better
   * than its own. Fails with a timeout if the agent does not answer.
   */
  CompletionStage<Integer> settle(AgentId agent, DirectoryEntry entry) {
    OptionalInt better =
        homes
            .map(known -> known.better(agent, entry.unit(), entry.blueprint()))
            .orElseGet(OptionalInt::empty);
    return better.isEmpty()
        ? CompletableFuture.completedStage(entry.unit())
        : move(agent, entry, better.getAsInt(), "its pages are nearer there")
            .thenApply(moved -> moved ? better.getAsInt() : entry.unit());
  }

  /**
   * Has an agent live on a node; false if it works, is unknown, or that node has no unit that is
   * known of here. Fails with a timeout if the agent does not answer.
   */
  CompletionStage<Boolean> move(AgentId agent, NodeAddress to, String reason) {
    return directory
        .find(agent)
        .thenCompose(found -> {
          OptionalInt unit =
              found.isPresent() && homes.isPresent()
                  ? homes.get().on(to, agent, found.get().unit(), found.get().blueprint())
                  : OptionalInt.empty();
          return unit.isEmpty()
              ? CompletableFuture.completedStage(false)
              : move(agent, found.get(), unit.getAsInt(), reason);
        });
  }

  private CompletionStage<Boolean> move(
      AgentId agent, DirectoryEntry entry, int unit, String reason) {
    return door.rehome(entry.unit(), agent, unit, reason)
        .thenApply(reply -> reply instanceof AcceptReply.Accepted);
  }
}
