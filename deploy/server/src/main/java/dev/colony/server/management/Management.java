package dev.colony.server.management;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.Descriptors;
import dev.colony.server.access.Authenticator;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.server.Directives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.http.javadsl.settings.ServerSettings;
import org.apache.pekko.management.cluster.bootstrap.ClusterBootstrap;
import org.apache.pekko.management.javadsl.PekkoManagement;

/**
 * Starts the management of a node, and by it the search for a cluster to join. It answers until the
 * actor system ends, so that those who ask see the node leave.
 */
public final class Management {

  /** Nodes that look for each other, probes and collectors of figures. */
  private static final int MOST_CONNECTIONS = 512;

  private static final int LEAST_CONNECTIONS = 4;

  private static final int IDLE_SECONDS = 20;

  private Management() {}

  /**
   * Begins to listen where the configuration says, and then to look for a cluster.
   *
   * @param health stops to be ready as soon as the node leaves
   * @return done when it listens; failed if it cannot
   */
  public static CompletionStage<Void> start(ActorSystem<?> system, NodeHealth health) {
    CoordinatedShutdown.get(system)
        .addTask(
            CoordinatedShutdown.PhaseBeforeServiceUnbind(),
            "not-ready",
            () -> {
              health.reached(NodeHealth.Phase.LEAVING);
              return CompletableFuture.completedFuture(Done.getInstance());
            });
    PekkoManagement management = PekkoManagement.get(system);
    String host = management.settings().getHttpEffectiveBindHostname();
    Route routes = management.getRoutes();
    return Http.get(system)
        .newServerAt(host, management.settings().getHttpEffectiveBindPort())
        .withSettings(server(system))
        .bind(onThisMachineAlone(host) ? unlessForeign(routes) : routes)
        .thenAccept(bound -> ClusterBootstrap.get(system).start());
  }

  /** Those who send nothing leave files to the rest of the node, and their place to others. */
  private static ServerSettings server(ActorSystem<?> system) {
    Config config =
        ConfigFactory.parseMap(Map.of("idle-timeout", IDLE_SECONDS + "s"))
            .atPath("pekko.http.server")
            .withFallback(system.settings().config());
    int most = Descriptors.ofThisProcess().connections(MOST_CONNECTIONS);
    return ServerSettings.create(config)
        .withRemoteAddressAttribute(true)
        // The API takes as many of what is free.
        .withMaxConnections(Math.max(LEAST_CONNECTIONS, most / 2));
  }

  private static boolean onThisMachineAlone(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      return false;
    }
  }

  /**
   * As the API does without keys: a page of a browser here that comes from elsewhere is refused.
   */
  private static Route unlessForeign(Route routes) {
    Authenticator caller = new Authenticator.Unlocked();
    return Directives.extractRequest(request ->
        switch (caller.enter(
            Optional.empty(), header(request, "Host").orElse(""), header(request, "Origin"))) {
          case Authenticator.Entry.Admitted admitted -> routes;
          case Authenticator.Entry.NoKey none -> routes;
          case Authenticator.Entry.ForeignHost foreign ->
              Directives.complete(
                  HttpResponse.create()
                      .withStatus(StatusCodes.MISDIRECTED_REQUEST)
                      .withEntity(
                          "management is for its own machine only: call it localhost, and from no"
                              + " page of another origin\n"));
        });
  }

  private static Optional<String> header(HttpRequest request, String name) {
    return request.getHeader(name).map(HttpHeader::value);
  }
}
