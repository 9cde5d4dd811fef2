package dev.colony.deploy.metrics;

import static org.apache.pekko.http.javadsl.server.Directives.complete;
import static org.apache.pekko.http.javadsl.server.Directives.get;
import static org.apache.pekko.http.javadsl.server.Directives.path;

import java.nio.charset.StandardCharsets;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.management.javadsl.ManagementRouteProvider;
import org.apache.pekko.management.javadsl.ManagementRouteProviderSettings;

/**
 * {@code /metrics} on the management port: 503 until the node has started. Named by its class in
 * the configuration; nobody else creates it.
 */
public final class MetricsRoutes implements ManagementRouteProvider {

  private static final ContentType TEXT =
      ContentTypes.parse("text/plain; version=0.0.4; charset=utf-8");

  private final MetricsExtension metrics;

  /** Made by pekko-management. */
  public MetricsRoutes(ExtendedActorSystem system) {
    this.metrics = MetricsExtension.get(system);
  }

  @Override
  public Route routes(ManagementRouteProviderSettings settings) {
    return path("metrics", () -> get(this::text));
  }

  private Route text() {
    return metrics
        .shown()
        .map(shown -> HttpEntities.create(TEXT, shown.text().getBytes(StandardCharsets.UTF_8)))
        .map(entity -> complete(StatusCodes.OK, entity))
        .orElseGet(() -> complete(StatusCodes.SERVICE_UNAVAILABLE, "the node is starting\n"));
  }
}
