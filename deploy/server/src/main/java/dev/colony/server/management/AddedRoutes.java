package dev.colony.server.management;

import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.http.javadsl.server.Directives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.management.javadsl.ManagementRouteProvider;
import org.apache.pekko.management.javadsl.ManagementRouteProviderSettings;

/** Serves the routes of {@link ManagementParts}; {@code colony-node.conf} names it. */
public final class AddedRoutes implements ManagementRouteProvider {

  private final ExtendedActorSystem system;

  public AddedRoutes(ExtendedActorSystem system) {
    this.system = system;
  }

  @Override
  public Route routes(ManagementRouteProviderSettings settings) {
    return system
        .settings()
        .setup()
        .get(ManagementParts.class)
        .map(parts -> parts.routes().stream().reduce(Directives.reject(), Route::orElse))
        .orElseGet(Directives::reject);
  }
}
