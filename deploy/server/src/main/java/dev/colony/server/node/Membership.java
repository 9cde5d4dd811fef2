package dev.colony.server.node;

import com.typesafe.config.Config;
import dev.colony.server.StartFailedException;
import dev.colony.server.StartFailedException.Reason;
import dev.colony.server.node.Management.ManagementParts;
import dev.colony.server.node.Management.NodeHealth;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pekko.actor.BootstrapSetup;
import org.apache.pekko.actor.setup.ActorSystemSetup;
import org.apache.pekko.actor.setup.Setup;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.http.javadsl.server.Route;

/** The actor system of a node, and how it comes into the cluster. */
final class Membership {

  private static final Duration BIND_TIMEOUT = Duration.ofSeconds(20);

  private final NodeHealth health = new NodeHealth();
  private final NodeOptions options;
  private final Duration joinTimeout;
  private final ActorSystem<Void> system;

  /**
   * Starts the actor system. It is in no cluster yet.
   *
   * @param routes what management serves beside its own
   * @param setups what else the actor system is made with
   * @throws StartFailedException if the port of remoting is taken
   */
  Membership(NodeOptions options, Config config, List<Route> routes, Setup... setups) {
    this.options = options;
    this.joinTimeout = NodeSettings.fromConfig(config, options.configFile()).joinTimeout();
    this.system = start(config, new ManagementParts(health, routes), setups);
  }

  /** Has the node be not ready, whatever its phase, while this says why. */
  void unfitWhile(Supplier<Optional<String>> why) {
    health.unfitWhile(why);
  }

  ActorSystem<Void> system() {
    return system;
  }

  private ActorSystem<Void> start(Config config, ManagementParts parts, Setup... setups) {
    try {
      return ActorSystem.create(
          Behaviors.empty(),
          Node.SYSTEM,
          ActorSystemSetup.create(
                  Stream.concat(Stream.of(parts.setups()), Stream.of(setups)).toArray(Setup[]::new))
              .and(BootstrapSetup.create(config)));
    } catch (RuntimeException failure) {
      throw taken(failure, "port " + options.address(), "--port or COLONY_NODE_PORT");
    }
  }

  /**
   * Begins to look for a cluster, or forms it; returns before it has joined.
   *
   * @throws StartFailedException if the port of management is taken
   */
  void seek() {
    if (options.joining() instanceof Joining.Alone) {
      Cluster cluster = Cluster.get(system);
      cluster.join(cluster.selfAddress());
      return;
    }
    try {
      within(BIND_TIMEOUT, Management.start(system, health).toCompletableFuture());
    } catch (ExecutionException failure) {
      throw taken(
          new IllegalStateException("management does not start", failure.getCause()),
          "management port " + options.joining().management().map(Listening::address).orElseThrow(),
          "COLONY_MANAGEMENT_PORT");
    } catch (TimeoutException late) {
      throw failed("management does not listen", BIND_TIMEOUT, late);
    }
  }

  /**
   * Blocks until the node is a member. To be called when all that it does for others as a member
   * has been started.
   *
   * @throws StartFailedException if it does not become one in time, or is not let in
   */
  void await() {
    health.reached(NodeHealth.Phase.JOINING);
    CompletableFuture<Void> up = new CompletableFuture<>();
    Cluster.get(system).registerOnMemberUp(() -> up.complete(null));
    system
        .getWhenTerminated()
        .thenRun(() -> up.completeExceptionally(new IllegalStateException("it has ended")));
    try {
      within(joinTimeout, up);
    } catch (ExecutionException ended) {
      throw new StartFailedException(
          Reason.NOT_READY,
          "the node does not become a member of the cluster: its log says why",
          ended);
    } catch (TimeoutException late) {
      throw failed("the node does not become a member of the cluster", joinTimeout, late);
    }
  }

  void serve() {
    health.reached(NodeHealth.Phase.SERVING);
  }

  private static void within(Duration longest, CompletableFuture<Void> stage)
      throws ExecutionException, TimeoutException {
    try {
      stage.get(longest.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new StartFailedException(Reason.INTERRUPTED, "interrupted", interrupted);
    }
  }

  private static StartFailedException failed(String what, Duration longest, Exception cause) {
    return new StartFailedException(
        Reason.NOT_READY, what + " within " + longest.toSeconds() + " s", cause);
  }

  /** What an operator is told about a port that another process has; else the failure itself. */
  private static RuntimeException taken(RuntimeException failure, String port, String setting) {
    return StartFailedException.orPortTaken(
        failure, "%s is taken: free it, or give another by %s".formatted(port, setting));
  }
}
