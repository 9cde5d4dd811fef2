package dev.colony.server.management;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.pekko.actor.setup.Setup;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.management.javadsl.ReadinessCheckSetup;
import org.apache.pekko.management.javadsl.StartupCheckSetup;

/**
 * What a node adds to its management. It travels in the actor system's setup, since management
 * makes its route providers itself, by name, from the actor system and nothing else.
 */
public final class ManagementParts extends Setup {

  private final NodeHealth health;
  private final List<Route> routes;

  /**
   * @param health decides {@code /startup} and, with the membership and the registration of the
   *     node's shards, {@code /ready}
   * @param routes served beside those of pekko-management; each rejects what is not its own
   */
  public ManagementParts(NodeHealth health, List<Route> routes) {
    this.health = health;
    this.routes = List.copyOf(routes);
  }

  /** All that the actor system has to be created with. */
  public Setup[] setups() {
    return new Setup[] {
      this,
      StartupCheckSetup.create(system -> List.of(check(health::started))),
      ReadinessCheckSetup.create(system -> List.of(check(health::ready)))
    };
  }

  NodeHealth health() {
    return health;
  }

  List<Route> routes() {
    return routes;
  }

  private static Supplier<CompletionStage<Boolean>> check(BooleanSupplier passed) {
    return () -> CompletableFuture.completedFuture(passed.getAsBoolean());
  }
}
