package dev.colony.node.resumption;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.vcm.table.ClusterView;
import dev.colony.vcm.table.ClusterView.ClusterLayout;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.PlacementPolicy;
import dev.colony.vcm.table.PlacementPolicy.PlacementRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Has agents that do nothing live in another placement unit. The agent journals it under its claim,
 * so that it is done or not whatever dies; one that works refuses, and stays where it is.
 * Thread-safe.
 *
 * @param homes empty where the node knows nothing of pages and nodes: then agents stay
 */
public record Rehoming(Optional<Homes> homes, AgentDirectory directory, Asking asking) {

  @FunctionalInterface
  public interface Asking {

    /**
     * Has the agent of a unit live in another one from now on; false if it refuses. Fails with a
     * timeout if it does not answer.
     */
    CompletionStage<Boolean> move(int unit, AgentId agent, int to, String reason);
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

  /**
   * Chooses placement units for agents that exist. Thread-safe; answers from memory.
   *
   * @param table must do no I/O
   * @param cluster neither
   */
  public record Homes(
      PlacementPolicy policy, Supplier<PageTableSnapshot> table, Supplier<ClusterView> cluster) {

    /** A unit that suits an agent better than its present one; empty if that is good enough. */
    public OptionalInt better(AgentId agent, int unit, AgentBlueprint blueprint) {
      return policy.home(request(agent, unit, blueprint), table.get(), cluster.get());
    }

    /** A unit of a node for an agent; empty if it lives on that node, or that has no units. */
    public OptionalInt on(NodeAddress node, AgentId agent, int unit, AgentBlueprint blueprint) {
      return policy.homeOn(node, request(agent, unit, blueprint), table.get(), cluster.get());
    }

    private static PlacementRequest request(AgentId agent, int unit, AgentBlueprint blueprint) {
      return new PlacementRequest(
          unit,
          blueprint.pages(),
          blueprint.kind() == AgentKind.VCM_BOUND,
          agent.persistenceId().hashCode());
    }
  }

  /**
   * The layout as it was when it was last asked for, which no caller waits for: an old one is
   * handed out, and a new one asked for beside. Before the first answer the cluster is empty.
   * Thread-safe.
   */
  public static final class RecentLayout implements Supplier<ClusterView> {

    private final ClusterLayout layout;
    private final Duration lasts;
    private final InstantSource clock;
    private volatile ClusterView known = ClusterView.of(List.of(), Map.of());
    private Instant askedAt = Instant.MIN;
    private boolean asking;

    /**
     * @param lasts how old a layout may be before another is asked for
     */
    public RecentLayout(ClusterLayout layout, Duration lasts, InstantSource clock) {
      this.layout = layout;
      this.lasts = lasts;
      this.clock = clock;
    }

    @Override
    public ClusterView get() {
      if (due()) {
        layout
            .view()
            .whenComplete((view, failure) -> {
              if (failure == null) {
                known = view;
              }
              answered();
            });
      }
      return known;
    }

    private synchronized boolean due() {
      Instant now = clock.instant();
      if (asking || askedAt.plus(lasts).isAfter(now)) {
        return false;
      }
      askedAt = now;
      asking = true;
      return true;
    }

    private synchronized void answered() {
      asking = false;
    }
  }
}
