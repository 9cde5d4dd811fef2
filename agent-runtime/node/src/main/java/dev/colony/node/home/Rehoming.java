package dev.colony.node.home;

import dev.colony.agent.AgentId;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.vcm.table.NodeAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * Has agents that do nothing live in another placement unit. The agent journals it under its claim,
 * so that it is done or not whatever dies; one that works refuses, and stays where it is.
 * Thread-safe.
 */
public final class Rehoming {

  private final Optional<Homes> homes;
  private final AgentDirectory directory;
  private final Asking asking;

  /** Asks an agent. */
  @FunctionalInterface
  public interface Asking {

    /**
     * Has the agent of a unit live in another one from now on; false if it refuses. Fails with a
     * timeout if it does not answer.
     */
    CompletionStage<Boolean> move(int unit, AgentId agent, int to, String reason);
  }

  /**
   * @param homes empty where the node knows nothing of pages and nodes: then agents stay
   */
  public Rehoming(Optional<Homes> homes, AgentDirectory directory, Asking asking) {
    this.homes = homes;
    this.directory = directory;
    this.asking = asking;
  }

  /**
   * The unit in which an agent is that is about to go on, moved there if another suits it better
   * than its own. Fails with a timeout if the agent does not answer.
   */
  public CompletionStage<Integer> settle(AgentId agent, DirectoryEntry entry) {
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
  public CompletionStage<Boolean> move(AgentId agent, NodeAddress to, String reason) {
    return move(agent, to, reason, entry -> true);
  }

  /** The same for an agent that is not drawn to pages; false for one that is. */
  public CompletionStage<Boolean> follow(AgentId agent, NodeAddress to, String reason) {
    return move(agent, to, reason, entry -> entry.blueprint().pages().isEmpty());
  }

  private CompletionStage<Boolean> move(
      AgentId agent, NodeAddress to, String reason, Predicate<DirectoryEntry> movable) {
    return directory
        .find(agent)
        .thenApply(known -> known.filter(movable))
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
    return asking.move(entry.unit(), agent, unit, reason);
  }
}
