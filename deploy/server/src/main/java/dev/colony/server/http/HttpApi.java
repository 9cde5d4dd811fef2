package dev.colony.server.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.Descriptors;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.StartFailedException;
import dev.colony.server.StartFailedException.Reason;
import dev.colony.server.access.AccessSettings;
import dev.colony.server.access.Authenticator;
import dev.colony.server.mcp.McpServerSettings;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBinding;
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
  private final HttpSettings settings;
  private final Authenticator authenticator;
  private final EventStreams streams;
  private final ExecutorService endpoints;
  private final Cancellable sweeps;
  private Optional<CompletionStage<Done>> drained = Optional.empty();

  private HttpApi(
      ServerBinding binding,
      HttpSettings settings,
      Authenticator authenticator,
      EventStreams streams,
      ExecutorService endpoints,
      Cancellable sweeps) {
    this.binding = binding;
    this.settings = settings;
    this.authenticator = authenticator;
    this.streams = streams;
    this.endpoints = endpoints;
    this.sweeps = sweeps;
  }

  /**
   * Listens.
   *
   * @param system runs the connections; need be no member of a cluster
   * @param listener is told of requests, streams and connections
   * @throws InvalidConfigurationException if it is to listen beyond this machine without keys, or
   *     the keys cannot be read
   * @throws StartFailedException if the port is taken
   */
  public static HttpApi start(
      ActorSystem<?> system,
      HttpSettings settings,
      AccessSettings access,
      ApiSources sources,
      ApiListener listener) {
    Authenticator authenticator = Authenticator.open(access, settings.host());
    EventStreams streams = new EventStreams(settings.streams(), listener);
    ExecutorService endpoints =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-api-", 0).factory());
    RequestHandler handler =
        new RequestHandler(
            system,
            settings,
            authenticator,
            table(settings, sources, McpServerSettings.fromConfig(system.settings().config())),
            streams,
            endpoints,
            listener);
    int most = connections(settings);
    Connections connections =
        new Connections(most, settings.sizes().connectionsPerAddress(), System::nanoTime);
    Flow<HttpRequest, HttpResponse, NotUsed> connection =
        BidiFlow.fromGraph(new RequestClock(settings.times().head(), connections, listener))
            .join(Flow.of(HttpRequest.class).mapAsync(1, handler::handle));
    try {
      ServerBinding binding =
          Http.get(system)
              .newServerAt(settings.host(), settings.port())
              .withSettings(server(system.settings().config(), settings, most))
              .bindFlow(connection)
              .toCompletableFuture()
              .join();
      Cancellable sweeps =
          system
              .scheduler()
              .scheduleAtFixedRate(SWEEP, SWEEP, connections::sweep, system.executionContext());
      return new HttpApi(binding, settings, authenticator, streams, endpoints, sweeps);
    } catch (CompletionException failure) {
      authenticator.close();
      endpoints.close();
      throw notBound(settings, failure.getCause());
    }
  }

  /** All that there is. */
  static EndpointTable table(HttpSettings settings, ApiSources sources, McpServerSettings mcp) {
    int page = settings.sizes().page();
    return new EndpointTable(
        Stream.of(
                new AgentEndpoints(sources, page).all(),
                new HistoryEndpoints(sources, settings.sizes()).all(),
                new RunEndpoints(sources, settings).all(),
                new SessionEndpoints(sources, page).all(),
                new BoardEndpoints(sources, page).all(),
                new InboxEndpoints(sources, page).all(),
                new SpendingEndpoints(sources).all(),
                McpEndpoints.of(sources, mcp).all(),
                new OpenAiEndpoints(sources, settings).all(),
                new PageEndpoints(sources, settings).all(),
                new ClusterEndpoints(sources).all(),
                new OpenApiDocument(settings).all())
            .flatMap(List::stream)
            .toList());
  }

  /** As many as are set, or as the process may have. */
  private static int connections(HttpSettings settings) {
    int wanted = settings.sizes().connections();
    Descriptors descriptors = Descriptors.ofThisProcess();
    descriptors.lowered(wanted).ifPresent(LOG::warn);
    return descriptors.connections(wanted);
  }

  private static ServerSettings server(Config config, HttpSettings settings, int connections) {
    Map<String, Object> own =
        Map.ofEntries(
            Map.entry("server-header", ""),
            Map.entry("max-connections", connections),
            // So that as many may come at once: the kernel resets those that find no room.
            Map.entry("backlog", settings.sizes().connections()),
            Map.entry("remote-address-attribute", true),
            Map.entry("linger-timeout", longest(settings).toMillis() + "ms"),
            Map.entry("idle-timeout", settings.times().idle().toMillis() + "ms"),
            Map.entry("request-timeout", settings.times().answer().toMillis() + "ms"),
            // The one that is answered, and one that is read ahead: see RequestClock.
            Map.entry("pipelining-limit", 2),
            Map.entry("parsing.max-uri-length", settings.sizes().uri()),
            Map.entry("parsing.max-header-count", settings.sizes().headers()),
            Map.entry("parsing.max-header-value-length", settings.sizes().headerValue()),
            Map.entry("parsing.max-content-length", settings.sizes().body()),
            Map.entry("parsing.illegal-header-warnings", false),
            Map.entry("parsing.error-handler", ParserProblems.class.getName()));
    return ServerSettings.create(
        ConfigFactory.parseMap(own).atPath("pekko.http.server").withFallback(config));
  }

  /**
   * How long a connection may have its answer sent over which nothing more is read: Pekko counts it
   * from the end of a request that says Connection: close, and closes the connection at its end.
   */
  private static Duration longest(HttpSettings settings) {
    Duration stream = settings.streams().longest();
    Duration call = settings.openAi().deadline();
    return (stream.compareTo(call) > 0 ? stream : call).plus(settings.times().answer());
  }

  private static RuntimeException notBound(HttpSettings settings, Throwable cause) {
    for (Throwable one = cause; one != null; one = one.getCause()) {
      if (one instanceof BindException) {
        return new StartFailedException(
            Reason.PORT_IN_USE,
            "the HTTP API cannot listen on %s:%d: free that port, or give another by colony.http.port"
                .formatted(settings.host(), settings.port()),
            cause);
      }
    }
    return new IllegalStateException(
        "the HTTP API cannot listen on %s:%d".formatted(settings.host(), settings.port()), cause);
  }

  /** Where it is reached from this machine. */
  public URI uri() {
    InetSocketAddress address = binding.localAddress();
    String host = address.getAddress().getHostAddress();
    return URI.create(
        "http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, address.getPort()));
  }

  /**
   * Takes no more connections, has the readers of streams come back elsewhere, and completes when
   * what was asked for is answered, or {@code colony.http.drain} is over. Repeating it changes
   * nothing.
   */
  public synchronized CompletionStage<Done> drain() {
    if (drained.isEmpty()) {
      streams.drain();
      drained =
          Optional.of(
              binding
                  .terminate(settings.drain())
                  .thenApply(ended -> {
                    sweeps.cancel();
                    authenticator.close();
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
