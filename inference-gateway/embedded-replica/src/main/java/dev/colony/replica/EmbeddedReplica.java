package dev.colony.replica;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running embedded replica: {@code POST /v1/chat/completions}, {@code GET /v1/models}, {@code GET
 * /health}, {@code GET /metrics} and {@code GET /colony/residency}.
 *
 * <p>It stands on the JDK's HTTP server with a virtual thread per exchange. That server does not
 * tell that a client has gone; a call given up by its client is noticed when its reply is written,
 * after the modelled time of prefill and decode.
 */
public final class EmbeddedReplica implements AutoCloseable {

  /** The id under which the lexical model is served. It is no neural network. */
  public static final String MODEL = "colony-lexical-1";

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedReplica.class);
  private static final int BACKLOG = 1024;

  static {
    // Without it each small reply on a kept connection waits 40 ms for a delayed acknowledgement.
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final HttpServer server;
  private final ExecutorService exchanges;
  private final ScheduledExecutorService timer;
  private final URI uri;
  private final Engine engine;
  private final KvCache cache;
  private final ChatEndpoint chat;
  private final ResidencyEndpoint residency;
  private final ObjectNode models;

  private EmbeddedReplica(HttpServer server, String id, EmbeddedReplicaSettings settings) {
    Clock clock = Clock.systemUTC();
    this.server = server;
    this.exchanges =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("embedded-replica-", 0).factory());
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("embedded-replica-timer").factory());
    this.uri = URI.create("http://" + settings.host() + ":" + server.getAddress().getPort());
    this.cache =
        new KvCache(settings.blockTokens(), settings.capacityBlocks(), settings.maxPages());
    this.engine = new Engine(settings, cache);
    BoundedRequest body =
        new BoundedRequest(settings.maxRequestBytes(), settings.requestTimeout(), timer);
    this.chat =
        new ChatEndpoint(engine, body, settings.maxRunning() + settings.maxWaiting(), clock);
    this.residency = new ResidencyEndpoint(id, cache, settings);
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
    HttpServer server =
        HttpServer.create(new InetSocketAddress(settings.host(), settings.port()), BACKLOG);
    EmbeddedReplica replica = new EmbeddedReplica(server, id, settings);
    server.setExecutor(replica.exchanges);
    server.createContext("/", replica::serve);
    server.start();
    replica.exchanges.execute(replica.engine::warmUp);
    return replica;
  }

  /** The base address, without {@code /v1}. */
  public URI uri() {
    return uri;
  }

  /** Stops serving; calls in progress are cut off. */
  @Override
  public void close() {
    exchanges.shutdownNow();
    server.stop(0);
    timer.shutdownNow();
  }

  private void serve(HttpExchange exchange) {
    try (exchange) {
      String callId = exchange.getRequestHeaders().getFirst("X-Request-Id");
      if (callId != null) {
        exchange.getResponseHeaders().set("X-Request-Id", callId);
      }
      try {
        route(exchange);
      } catch (ApiError e) {
        Exchanges.json(exchange, e.status(), e.json());
      }
    } catch (IOException e) {
      LOG.debug("the client of {} has gone", exchange.getRequestURI(), e);
    } catch (InterruptedException e) {
      LOG.debug("stopped while serving {}", exchange.getRequestURI());
    }
  }

  private void route(HttpExchange exchange) throws ApiError, IOException, InterruptedException {
    String path = exchange.getRequestURI().getPath();
    switch (path) {
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
      case "/health" -> {
        only("GET", exchange);
        Exchanges.text(exchange, 200, "text/plain; charset=utf-8", "");
      }
      case "/metrics" -> {
        only("GET", exchange);
        Exchanges.text(
            exchange,
            200,
            "text/plain; version=0.0.4; charset=utf-8",
            MetricsText.of(engine, cache));
      }
      default -> throw ApiError.notFound("not_found", "no such path: " + path);
    }
  }

  /** A fault of ours while answering becomes a 500 of the API, and is logged here. */
  private void guarded(HttpExchange exchange) throws ApiError, IOException, InterruptedException {
    try {
      chat.handle(exchange);
    } catch (RuntimeException e) {
      LOG.error("a chat completion failed", e);
      throw ApiError.internal("the replica failed: " + e);
    }
  }

  private static void only(String method, HttpExchange exchange) throws ApiError {
    if (!exchange.getRequestMethod().equals(method)) {
      exchange.getResponseHeaders().set("Allow", method);
      throw ApiError.method(exchange.getRequestURI().getPath() + " takes " + method);
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
        .put("max_model_len", contextTokens);
    return root;
  }
}
