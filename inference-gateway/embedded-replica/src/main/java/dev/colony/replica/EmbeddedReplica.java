package dev.colony.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.ChatEndpoint.Writer;
import dev.colony.replica.ChatTemplate.Prompt;
import dev.colony.replica.ChatTemplate.TokenMemo;
import dev.colony.replica.Engine.TimeModel;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running embedded replica: {@code POST /v1/chat/completions}, {@code GET /v1/models}, {@code GET
 * /health}, {@code GET /metrics}, {@code POST /reset_prefix_cache}, {@code POST /colony/evict} and,
 * for tests, {@code /colony/faults}.
 *
 * <p>It answers as a vLLM server does, in the form of its replies and errors and in what its cache
 * keeps. A call whose client goes away is given up at once, wherever it stands.
 */
public final class EmbeddedReplica implements AutoCloseable {

  /** The id under which the lexical model is served. It is no neural network. */
  public static final String MODEL = "colony-lexical-1";

  /**
   * What no operator sets.
   *
   * @param time how long steps of the engine take, where the factor is 1
   * @param maxBatchedTokens computed in one step, over all calls; a longer prompt takes several
   * @param requestTimeout the time a client has to send its body
   * @param coalesce changes of the resident pages within this time are told together
   */
  record Bounds(
      TimeModel time,
      int maxBatchedTokens,
      int maxRequestBytes,
      Duration requestTimeout,
      Duration coalesce) {

    static final Bounds USUAL =
        new Bounds(
            TimeModel.LLAMA_70B_2XH100,
            8192,
            32 << 20,
            Duration.ofSeconds(30),
            Duration.ofMillis(20));
  }

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedReplica.class);

  private final EmbeddedReplicaSettings settings;
  private final Bounds bounds;
  private final Optional<KvEventPublisher> publisher;
  private final EngineMetrics metrics;
  private final Engine engine;
  private final Faults faults;
  private final ChatEndpoint chat;
  private final ResidentPages pages = new ResidentPages();
  private final EvictionEndpoint eviction;
  private final ObjectNode models;
  private final List<Thread> followers = new CopyOnWriteArrayList<>();
  private HttpServing server;

  private EmbeddedReplica(
      EmbeddedReplicaSettings settings,
      Bounds bounds,
      Writer writer,
      Optional<KvEventPublisher> publisher) {
    Clock clock = Clock.systemUTC();
    TokenMemo memo = new TokenMemo();
    this.settings = settings;
    this.bounds = bounds;
    this.publisher = publisher;
    this.metrics = new EngineMetrics(settings, System::nanoTime);
    this.engine = new Engine(settings, bounds, pages, metrics, publisher);
    this.faults = new Faults(settings.faults().controlled());
    this.chat = new ChatEndpoint(settings, engine, writer, memo, faults, clock);
    this.eviction = new EvictionEndpoint(engine, memo);
    this.models = models(clock.instant().getEpochSecond(), settings.contextTokens());
  }

  /**
   * Binds and serves.
   *
   * @throws IOException if the address cannot be bound
   */
  public static EmbeddedReplica start(EmbeddedReplicaSettings settings) throws IOException {
    return start(settings, Bounds.USUAL);
  }

  static EmbeddedReplica start(EmbeddedReplicaSettings settings, Bounds bounds) throws IOException {
    Writer writer = new Writer();
    Optional<KvEventPublisher> publisher =
        settings.kvEvents().enabled()
            ? Optional.of(new KvEventPublisher(settings.host(), settings.kvEvents().port()))
            : Optional.empty();
    EmbeddedReplica replica = new EmbeddedReplica(settings, bounds, writer, publisher);
    try {
      replica.server =
          HttpServing.start(
              settings.host(),
              settings.port(),
              bounds.maxRequestBytes(),
              bounds.requestTimeout(),
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

  /** The pages in the cache, by their ids, with the tokens of their messages. */
  public Map<String, Integer> residentPages() {
    return pages.now().pages();
  }

  /**
   * Tells of the pages in the cache: all of them, at once and after every change.
   *
   * @param listener is called on one thread; what it throws is logged
   */
  public void follow(Consumer<Map<String, Integer>> listener) {
    followers.add(
        Thread.ofVirtual()
            .name("embedded-replica-pages")
            .start(() -> pages.follow(listener, bounds.coalesce())));
  }

  /** Stops serving; calls in progress are cut off. */
  @Override
  public void close() {
    followers.forEach(Thread::interrupt);
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
        exchange.json(e.status(), e.json());
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
          "the request body is larger than " + bounds.maxRequestBytes() + " bytes");
    }
    switch (exchange.path()) {
      case "/v1/chat/completions" -> {
        only("POST", exchange);
        guarded(exchange);
      }
      case "/v1/models" -> {
        only("GET", exchange);
        exchange.json(200, models);
      }
      case "/colony/evict" -> {
        only("POST", exchange);
        eviction.handle(exchange);
      }
      case "/colony/faults" -> faults.control(exchange);
      case "/health" -> {
        only("GET", exchange);
        exchange.text(200, "text/plain; charset=utf-8", "");
      }
      case "/reset_prefix_cache" -> {
        only("POST", exchange);
        boolean reset = engine.resetPrefixCache();
        exchange.text(reset ? 200 : 409, "text/plain; charset=utf-8", "");
      }
      case "/metrics" -> {
        only("GET", exchange);
        exchange.text(
            200, "text/plain; version=0.0.4; charset=utf-8", metrics.text(engine.state()));
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
    ObjectNode root = Exchange.JSON.createObjectNode().put("object", "list");
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

  /**
   * {@code POST /colony/evict}: a hint that the blocks of a prompt behind its beginning are wanted
   * least, so that they are the next to be evicted, the last first. Takes the body of a chat
   * completion with {@code "keep": {"messages": n, "characters": m}} in addition: the beginning has
   * the first n messages, and of the content of the next one m characters. Blocks that a running
   * call uses stay; nothing is computed.
   */
  static final class EvictionEndpoint {

    private final Engine engine;
    private final TokenMemo memo;

    EvictionEndpoint(Engine engine, TokenMemo memo) {
      this.engine = engine;
      this.memo = memo;
    }

    void handle(Exchange exchange) throws ApiError, IOException, InterruptedException {
      ChatRequest request = ChatRequest.parse(exchange.body());
      JsonNode keep = Exchange.JSON.readTree(exchange.body()).path("keep");
      int messages = count(keep, "messages");
      int characters = count(keep, "characters");
      Prompt prompt = ChatTemplate.lay(request.messages(), request.tools(), memo);
      int kept = kept(request, prompt, messages, characters);
      int block = EmbeddedReplicaSettings.BLOCK_TOKENS;
      int from = (kept + block - 1) / block;
      int[] tokens = prompt.tokens();
      int moved =
          from * block >= tokens.length ? 0 : engine.evictNext(tokens, request.cacheSalt(), from);
      exchange.json(200, Exchange.JSON.createObjectNode().put("blocks", moved));
    }

    private static int count(JsonNode keep, String name) throws ApiError {
      JsonNode value = keep.path(name);
      if (!value.isInt() || value.intValue() < 0) {
        throw ApiError.invalid("keep", "keep." + name + " must be a whole number from 0");
      }
      return value.intValue();
    }

    /** Tokens of the beginning. A part of a message has its part of the message's tokens. */
    private static int kept(ChatRequest request, Prompt prompt, int messages, int characters) {
      if (messages >= prompt.starts().length) {
        return prompt.tokens().length;
      }
      int length = request.messages().get(messages).content().length();
      double part = length == 0 ? 0 : Math.min(1, (double) characters / length);
      int before = messages == 0 && characters == 0 ? 0 : prompt.starts()[messages];
      return before + (int) Math.ceil(part * prompt.sizeTokens(messages));
    }
  }
}
