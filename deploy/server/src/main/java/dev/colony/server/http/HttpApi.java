package dev.colony.server.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.Settings;
import dev.colony.server.Authenticator;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Descriptors;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.StartFailedException;
import dev.colony.server.TracingSettings;
import dev.colony.server.http.AgentEndpoints.HistoryEndpoints;
import dev.colony.server.http.BoardEndpoints.InboxEndpoints;
import dev.colony.server.http.ClusterViews.ClusterEndpoints;
import dev.colony.server.http.Endpoint.EndpointTable;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.HttpSettings.Bounds;
import dev.colony.server.http.Problems.ParserProblems;
import dev.colony.server.http.RunEndpoints.SessionEndpoints;
import dev.colony.server.mcp.McpServer.McpServerSettings;
import dev.colony.vcm.store.StoreSettings;
import dev.colony.vcm.table.TableSettings.LeaseBounds;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
import org.apache.pekko.http.javadsl.ServerBuilder;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.settings.ServerSettings;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP API of a node, from when it listens until it is closed. Thread-safe. */
public final class HttpApi implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

  private static final Duration SWEEP = Connections.SHORT_GRACE.dividedBy(2);

  private final ServerBinding binding;
  private final Duration drain;
  private final Authenticator authenticator;
  private final Optional<ServerCertificate> certificate;
  private final EventStreams streams;
  private final ExecutorService endpoints;
  private final Cancellable sweeps;
  private Optional<CompletionStage<Done>> drained = Optional.empty();

  private HttpApi(
      ServerBinding binding,
      Duration drain,
      Authenticator authenticator,
      Optional<ServerCertificate> certificate,
      EventStreams streams,
      ExecutorService endpoints,
      Cancellable sweeps) {
    this.binding = binding;
    this.drain = drain;
    this.authenticator = authenticator;
    this.certificate = certificate;
    this.streams = streams;
    this.endpoints = endpoints;
    this.sweeps = sweeps;
  }

  /**
   * Whether it could be started, but for its port.
   *
   * @throws InvalidConfigurationException if it is to listen beyond this machine without keys and
   *     tokens, or the keys or the certificate cannot be read
   */
  public static void check(HttpSettings settings, AccessSettings access) {
    Authenticator.check(access, settings.host());
    settings.tls().ifPresent(ServerCertificate::check);
  }

  /**
   * Listens.
   *
   * @param system runs the connections; need be no member of a cluster
   * @param listener is told of requests, streams and connections
   * @throws InvalidConfigurationException as {@link #check} says
   * @throws StartFailedException if the port is taken
   */
  public static HttpApi start(
      ActorSystem<?> system,
      HttpSettings settings,
      AccessSettings access,
      ApiSources sources,
      ApiListener listener) {
    return start(system, settings, Bounds.USUAL, access, sources, listener);
  }

  static HttpApi start(
      ActorSystem<?> system,
      HttpSettings settings,
      Bounds bounds,
      AccessSettings access,
      ApiSources sources,
      ApiListener listener) {
    Config config = system.settings().config();
    check(settings, access);
    Authenticator authenticator = Authenticator.open(access, settings.host(), bounds.reload());
    Optional<ServerCertificate> certificate =
        settings.tls().map(directory -> ServerCertificate.open(directory, bounds.reload()));
    EventStreams streams = new EventStreams(settings.streams().perKey(), bounds, listener);
    ExecutorService endpoints =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-api-", 0).factory());
    RequestHandler handler =
        new RequestHandler(
            system,
            settings,
            bounds,
            authenticator,
            table(settings, bounds, sources, config)
                .with(
                    new Dashboard(Settings.read(TracingSettings.class, config).page()).endpoints()),
            streams,
            endpoints,
            listener);
    int most = connections(settings);
    Connections connections =
        new Connections(most, settings.connectionsPerAddress(), System::nanoTime);
    Flow<HttpRequest, HttpResponse, NotUsed> connection =
        BidiFlow.fromGraph(new RequestClock(bounds.head(), connections, listener))
            .join(Flow.of(HttpRequest.class).mapAsync(1, handler::handle));
    try {
      ServerBuilder server =
          Http.get(system)
              .newServerAt(settings.host(), settings.port())
              .withSettings(server(config, settings, bounds, most));
      ServerBinding binding =
          certificate
              .map(shown -> server.enableHttps(shown.context()))
              .orElse(server)
              .bindFlow(connection)
              .toCompletableFuture()
              .join();
      Cancellable sweeps =
          system
              .scheduler()
              .scheduleAtFixedRate(SWEEP, SWEEP, connections::sweep, system.executionContext());
      return new HttpApi(
          binding, bounds.drain(), authenticator, certificate, streams, endpoints, sweeps);
    } catch (CompletionException failure) {
      authenticator.close();
      certificate.ifPresent(ServerCertificate::close);
      endpoints.close();
      throw notBound(settings, failure.getCause());
    }
  }

  static EndpointTable table(
      HttpSettings settings, Bounds bounds, ApiSources sources, Config config) {
    int page = bounds.page();
    Handlers handlers = new Handlers();
    new AgentEndpoints(sources, page).addTo(handlers);
    new HistoryEndpoints(sources, bounds).addTo(handlers);
    new RunEndpoints(sources, bounds.held()).addTo(handlers);
    new SessionEndpoints(sources, page).addTo(handlers);
    new BoardEndpoints(sources, page).addTo(handlers);
    new InboxEndpoints(sources, page).addTo(handlers);
    McpEndpoints.of(sources, Settings.read(McpServerSettings.class, config)).addTo(handlers);
    new OpenAiEndpoints(sources, bounds, settings.openai().deadline()).addTo(handlers);
    new PageEndpoints(sources, page, StoreSettings.fromConfig(config)).addTo(handlers);
    new ClusterEndpoints(sources).addTo(handlers);
    new OpenApiDocument(bounds, LeaseBounds.USUAL.longest(), settings.tls().isPresent())
        .addTo(handlers);
    return EndpointTable.of(OpenApiDocument.json(), handlers);
  }

  /** As many as are set, or as the process may have. */
  private static int connections(HttpSettings settings) {
    int wanted = settings.connections();
    Descriptors descriptors = Descriptors.ofThisProcess();
    descriptors.lowered(wanted).ifPresent(LOG::warn);
    return descriptors.connections(wanted);
  }

  private static ServerSettings server(
      Config config, HttpSettings settings, Bounds bounds, int connections) {
    Map<String, Object> own =
        Map.ofEntries(
            Map.entry("server-header", ""),
            Map.entry("max-connections", connections),
            // So that as many may come at once: the kernel resets those that find no room.
            Map.entry("backlog", settings.connections()),
            Map.entry("remote-address-attribute", true),
            Map.entry("linger-timeout", longest(settings, bounds).toMillis() + "ms"),
            Map.entry("idle-timeout", bounds.idle().toMillis() + "ms"),
            Map.entry("request-timeout", bounds.answer().toMillis() + "ms"),
            // The one that is answered, and one that is read ahead: see RequestClock.
            Map.entry("pipelining-limit", 2),
            Map.entry("parsing.max-uri-length", bounds.uri()),
            Map.entry("parsing.max-header-count", bounds.headers()),
            Map.entry("parsing.max-header-value-length", bounds.headerValue()),
            Map.entry("parsing.max-content-length", settings.request().body()),
            Map.entry("parsing.illegal-header-warnings", false),
            Map.entry("parsing.error-handler", ParserProblems.class.getName()));
    return ServerSettings.create(
        ConfigFactory.parseMap(own).atPath("pekko.http.server").withFallback(config));
  }

  /**
   * How long a connection may have its answer sent over which nothing more is read: Pekko counts it
   * from the end of a request that says Connection: close, and closes the connection at its end.
   */
  private static Duration longest(HttpSettings settings, Bounds bounds) {
    Duration stream = bounds.longest();
    Duration call = settings.openai().deadline();
    return (stream.compareTo(call) > 0 ? stream : call).plus(bounds.answer());
  }

  private static RuntimeException notBound(HttpSettings settings, Throwable cause) {
    String what = "the HTTP API cannot listen on %s:%d".formatted(settings.host(), settings.port());
    return StartFailedException.orPortTaken(
        new IllegalStateException(what, cause),
        what + ": free that port, or give another by colony.http.port");
  }

  public URI uri() {
    InetSocketAddress address = binding.localAddress();
    String host = address.getAddress().getHostAddress();
    return URI.create(
        "%s://%s:%d"
            .formatted(
                certificate.isPresent() ? "https" : "http",
                host.contains(":") ? "[" + host + "]" : host,
                address.getPort()));
  }

  /**
   * Takes no more connections, has the readers of streams come back elsewhere, and completes when
   * what was asked for is answered, or the time for it is over. Repeating it changes nothing.
   */
  public synchronized CompletionStage<Done> drain() {
    if (drained.isEmpty()) {
      streams.drain();
      drained =
          Optional.of(
              binding
                  .terminate(drain)
                  .thenApply(ended -> {
                    sweeps.cancel();
                    authenticator.close();
                    certificate.ifPresent(ServerCertificate::close);
                    endpoints.shutdownNow();
                    return Done.getInstance();
                  }));
    }
    return drained.get();
  }

  @Override
  public void close() {
    drain().toCompletableFuture().join();
  }
}
