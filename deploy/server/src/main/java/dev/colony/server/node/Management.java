package dev.colony.server.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.Authenticator;
import dev.colony.server.Descriptors;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.setup.Setup;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.server.Directives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.http.javadsl.settings.ServerSettings;
import org.apache.pekko.management.HealthCheckSettings;
import org.apache.pekko.management.cluster.bootstrap.ClusterBootstrap;
import org.apache.pekko.management.javadsl.CheckResult;
import org.apache.pekko.management.javadsl.HealthChecks;
import org.apache.pekko.management.javadsl.ManagementRouteProvider;
import org.apache.pekko.management.javadsl.ManagementRouteProviderSettings;
import org.apache.pekko.management.javadsl.PekkoManagement;
import org.apache.pekko.management.javadsl.ReadinessCheckSetup;
import org.apache.pekko.management.javadsl.StartupCheckSetup;

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
        caller.enter(
                    Optional.empty(), header(request, "Host").orElse(""), header(request, "Origin"))
                instanceof Authenticator.Entry.ForeignHost
            ? Directives.complete(
                HttpResponse.create()
                    .withStatus(StatusCodes.MISDIRECTED_REQUEST)
                    .withEntity(
                        "management is for its own machine only: call it localhost, and from no"
                            + " page of another origin\n"))
            : routes);
  }

  private static Optional<String> header(HttpRequest request, String name) {
    return request.getHeader(name).map(HttpHeader::value);
  }

  /**
   * How far a node is, for those who ask whether it is well, and whether something keeps it from
   * serving. Its phase only goes forward, and it may leave at any time. Thread-safe.
   */
  public static final class NodeHealth {

    /** What a node goes through, in this order. */
    public enum Phase {
      /** It is starting its parts. */
      STARTING,
      /** All its parts run; it looks for the others, or waits until there are enough of them. */
      JOINING,
      /** It is a member and takes agents. */
      SERVING,
      /** It gives its agents to the others, and ends. */
      LEAVING
    }

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.STARTING);

    private volatile Supplier<Optional<String>> unfit = Optional::empty;

    /** Has the node be not ready while this says why. It is asked often, and must not block. */
    public void unfitWhile(Supplier<Optional<String>> why) {
      unfit = why;
    }

    /** Why the node may not be sent work whatever its phase; empty where it may. */
    public Optional<String> unfit() {
      return unfit.get();
    }

    /** Goes to a phase, unless it is there or beyond. */
    public void reached(Phase next) {
      phase.updateAndGet(now -> now.compareTo(next) < 0 ? next : now);
    }

    /** Whether its start has succeeded as far as it depends on the node itself. */
    public boolean started() {
      return phase.get() != Phase.STARTING;
    }

    /** Whether it may be sent work. */
    public boolean ready() {
      return phase.get() == Phase.SERVING && unfit().isEmpty();
    }
  }

  /**
   * What a node adds to its management. It travels in the actor system's setup, since management
   * makes its route providers itself, by name, from the actor system and nothing else.
   */
  public static final class ManagementParts extends Setup {

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

  /**
   * {@code /startup}, {@code /ready} and {@code /alive}: 200, or 503 with the checks that did not
   * pass, and for {@code /ready} with what keeps the node from serving. Stands in place of
   * pekko-management's own, which answer 500 and so look like a fault where a node is merely not
   * ready. {@code colony-node.conf} names it.
   */
  public static final class HealthRoutes implements ManagementRouteProvider {

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

  /** Serves the routes of {@link ManagementParts}; {@code colony-node.conf} names it. */
  public static final class AddedRoutes implements ManagementRouteProvider {

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
}
