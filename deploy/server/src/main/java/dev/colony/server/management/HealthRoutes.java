package dev.colony.server.management;

import com.typesafe.config.Config;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.server.Directives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.management.HealthCheckSettings;
import org.apache.pekko.management.javadsl.CheckResult;
import org.apache.pekko.management.javadsl.HealthChecks;
import org.apache.pekko.management.javadsl.ManagementRouteProvider;
import org.apache.pekko.management.javadsl.ManagementRouteProviderSettings;

/**
 * {@code /startup}, {@code /ready} and {@code /alive}: 200, or 503 with the checks that did not
 * pass, and for {@code /ready} with what keeps the node from serving. Stands in place of
 * pekko-management's own, which answer 500 and so look like a fault where a node is merely not
 * ready. {@code colony-node.conf} names it.
 */
public final class HealthRoutes implements ManagementRouteProvider {

  private final HealthChecks checks;
  private final Optional<NodeHealth> health;

  public HealthRoutes(ExtendedActorSystem system) {
    Config config = system.settings().config().getConfig("pekko.management.health-checks");
    health = system.settings().setup().get(ManagementParts.class).map(ManagementParts::health);
    checks = new HealthChecks(system, HealthCheckSettings.create(config));
  }

  @Override
  public Route routes(ManagementRouteProviderSettings provider) {
    return Directives.concat(
        route("startup", checks::startupResult, Optional::empty),
        route("ready", checks::readyResult, () -> health.flatMap(NodeHealth::unfit)),
        route("alive", checks::aliveResult, Optional::empty));
  }

  /**
   * @param why what is known of the reason where a check does not pass
   */
  private static Route route(
      String path, Supplier<CompletionStage<CheckResult>> check, Supplier<Optional<String>> why) {
    return Directives.path(
        path,
        () ->
            Directives.get(() ->
                Directives.completeWithFuture(
                    check
                        .get()
                        .thenApply(result ->
                            answer(
                                result
                                    .failure()
                                    .map(wrong ->
                                        why.get().map(of -> wrong + ": " + of).orElse(wrong))
                                    .orElse("")))
                        .exceptionally(failure -> answer(failure.getMessage())))));
  }

  /**
   * @param wrong what did not pass; empty if all did
   */
  private static HttpResponse answer(String wrong) {
    return HttpResponse.create()
        .withStatus(wrong.isEmpty() ? StatusCodes.OK : StatusCodes.SERVICE_UNAVAILABLE)
        .withEntity(HttpEntities.create(ContentTypes.TEXT_PLAIN_UTF8, wrong));
  }
}
