package dev.colony.replica;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.http.Exchange;
import dev.colony.replica.http.HttpServing;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running embedded replica: {@code POST /v1/chat/completions}, {@code GET /v1/models}, {@code GET
 * /health}, {@code GET /metrics}, {@code POST /reset_prefix_cache}, {@code GET /colony/residency},
 * {@code POST /colony/evict} and, for tests, {@code /colony/faults}.
 *
 * <p>It answers as a vLLM server does, in the form of its replies and errors and in what its cache
 * keeps. A call whose client goes away is given up at once, wherever it stands.
 */
public final class EmbeddedReplica implements AutoCloseable {

  /** The id under which the lexical model is served. It is no neural network. */
  public static final String MODEL = "colony-lexical-1";

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedReplica.class);

  private final EmbeddedReplicaSettings settings;
  private final Optional<KvEventPublisher> publisher;
  private final EngineMetrics metrics;
  private final Engine engine;
  private final Faults faults;
  private final ChatEndpoint chat;
  private final ResidencyEndpoint residency;
  private final EvictionEndpoint eviction;
  private final ObjectNode models;
  private HttpServing server;

  private EmbeddedReplica(
      String id,
      EmbeddedReplicaSettings settings,
      Writer writer,
      Optional<KvEventPublisher> publisher) {
    Clock clock = Clock.systemUTC();
    TokenMemo memo = new TokenMemo(settings.tokenizerMemoTokens());
    ResidentPages pages = new ResidentPages(settings.maxPages());
    this.settings = settings;
    this.publisher = publisher;
    this.metrics = new EngineMetrics(settings, System::nanoTime);
    this.engine = new Engine(settings, pages, metrics, publisher);
    this.faults = new Faults(settings.faultsControlled(), settings.fault());
    this.chat = new ChatEndpoint(settings, engine, writer, memo, faults, clock);
    this.residency = new ResidencyEndpoint(id, pages, settings);
    this.eviction = new EvictionEndpoint(settings, engine, memo);
    this.models = models(clock.instant().getEpochSecond(), settings.contextTokens());
  }

  /**
   * Binds and serves.
   *
   * @param id the name under which the replica reports its resident pages
   * @throws IOException if the address cannot be bound
   */
  public static EmbeddedReplica start(String id, EmbeddedReplicaSettings settings)
      throws IOException {
    Writer writer = new Writer(settings);
    Optional<KvEventPublisher> publisher =
        settings.kvEvents().enabled()
            ? Optional.of(new KvEventPublisher(settings.host(), settings.kvEvents()))
            : Optional.empty();
    EmbeddedReplica replica = new EmbeddedReplica(id, settings, writer, publisher);
    try {
      replica.server =
          HttpServing.start(
              settings.host(),
              settings.port(),
              settings.maxRequestBytes(),
              settings.requestTimeout(),
              replica::serve);
    } catch (IOException e) {
      replica.engine.close();
      publisher.ifPresent(KvEventPublisher::close);
      throw e;
    }
    Thread.ofVirtual().name("embedded-replica-warm-up").start(writer::warmUp);
    return replica;
  }

  /** The base address, without {@code /v1}. */
  public URI uri() {
    return URI.create("http://" + settings.host() + ":" + server.port());
  }

  /** The port at which events of the KV cache are published; empty where they are off. */
  public OptionalInt kvEventsPort() {
    return publisher.map(p -> OptionalInt.of(p.port())).orElseGet(OptionalInt::empty);
  }

  /** The port at which they are asked for again; empty where they are off. */
  public OptionalInt kvReplayPort() {
    return publisher.map(p -> OptionalInt.of(p.replayPort())).orElseGet(OptionalInt::empty);
  }

  /** Stops serving; calls in progress are cut off. */
  @Override
  public void close() {
    server.close();
    engine.close();
    publisher.ifPresent(KvEventPublisher::close);
  }

  private void serve(Exchange exchange) {
    try {
      exchange.headers("X-Request-Id").stream()
          .findFirst()
          .ifPresent(callId -> exchange.header("X-Request-Id", callId));
      try {
        route(exchange);
      } catch (ApiError e) {
        Exchanges.json(exchange, e.status(), e.json());
      }
    } catch (IOException e) {
      LOG.debug("the client of {} has gone", exchange.path(), e);
    } catch (InterruptedException e) {
      LOG.debug("stopped while serving {}", exchange.path());
    }
  }

  private void route(Exchange exchange) throws ApiError, IOException, InterruptedException {
    if (exchange.tooLarge()) {
      throw ApiError.tooLarge(
          "the request body is larger than " + settings.maxRequestBytes() + " bytes");
    }
    switch (exchange.path()) {
      case "/v1/chat/completions" -> {
        only("POST", exchange);
        guarded(exchange);
      }
      case "/v1/models" -> {
        only("GET", exchange);
        Exchanges.json(exchange, 200, models);
      }
      case "/colony/residency" -> {
        only("GET", exchange);
        residency.handle(exchange);
      }
      case "/colony/evict" -> {
        only("POST", exchange);
        eviction.handle(exchange);
      }
      case "/colony/faults" -> faults.control(exchange);
      case "/health" -> {
        only("GET", exchange);
        Exchanges.text(exchange, 200, "text/plain; charset=utf-8", "");
      }
      case "/reset_prefix_cache" -> {
        only("POST", exchange);
        boolean reset = engine.resetPrefixCache();
        Exchanges.text(exchange, reset ? 200 : 409, "text/plain; charset=utf-8", "");
      }
      case "/metrics" -> {
        only("GET", exchange);
        Exchanges.text(
            exchange,
            200,
            "text/plain; version=0.0.4; charset=utf-8",
            metrics.text(engine.state()));
      }
      default -> throw ApiError.notFound(exchange.path());
    }
  }

  /** A fault of ours while answering becomes a 500 of the API, and is logged here. */
  private void guarded(Exchange exchange) throws ApiError, IOException, InterruptedException {
    try {
      chat.handle(exchange);
    } catch (RuntimeException e) {
      LOG.error("a chat completion failed", e);
      throw ApiError.internal("the replica failed: " + e);
    }
  }

  private static void only(String method, Exchange exchange) throws ApiError {
    if (!exchange.method().equals(method)) {
      exchange.header("Allow", method);
      throw ApiError.method(exchange.path() + " takes " + method);
    }
  }

  private static ObjectNode models(long created, int contextTokens) {
    ObjectNode root = Exchanges.JSON.createObjectNode().put("object", "list");
    root.putArray("data")
        .addObject()
        .put("id", MODEL)
        .put("object", "model")
        .put("created", created)
        .put("owned_by", "vllm")
        .put("root", MODEL)
        .putNull("parent")
        .put("max_model_len", contextTokens)
        .put("colony_evict", true);
    return root;
  }
}
