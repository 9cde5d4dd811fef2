package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.Exchange.Wire;
import dev.colony.inference.provider.HttpExchanges.Deadline;
import dev.colony.inference.provider.HttpExchanges.Opened;
import dev.colony.inference.provider.ServerError.StatusErrors;
import dev.colony.inference.replicas.PromptBlocks.PromptPrefix;
import dev.colony.inference.replicas.ReplicaConnections;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One model server, asked in its dialect. What a refusal says of the dialect is kept, and the
 * request is made again at once; that counts as no attempt. Calls block, so they belong on virtual
 * threads; an interrupt aborts the call at the server. Thread-safe.
 */
public final class ModelServer extends ModelClient {

  private static final Logger LOG = LoggerFactory.getLogger(ModelServer.class);

  /** The longest time to open a connection. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

  private final HttpExchanges http;
  private final String userAgent;
  private final AtomicReference<ServedModel> served = new AtomicReference<>();

  private volatile OptionalInt slots = OptionalInt.empty();

  /** Where the protocol's paths are; ends in a slash. */
  private volatile URI api;

  /**
   * @param base the server's address: with its path where that is not {@code /v1}
   */
  public ModelServer(URI base, ProviderSettings settings, HttpClient http) {
    this(base, settings, new HttpExchanges(http), "colony");
  }

  ModelServer(URI base, ProviderSettings settings, HttpExchanges http, String userAgent) {
    super(
        base,
        settings,
        settings
            .dialect()
            .or(() -> Dialect.at(base))
            .orElseGet(() -> Dialect.named(Dialect.DEFAULT)));
    this.api = api(base);
    this.http = http;
    this.userAgent = userAgent;
  }

  /** A client whose {@code User-Agent} says to the server's log from which node it calls. */
  public static ModelServer ofNode(
      String node, URI base, ProviderSettings settings, HttpClient http) {
    return new ModelServer(base, settings, new HttpExchanges(http), "colony (" + node + ")");
  }

  /** An HTTP client as this class needs it; one serves any number of servers. */
  public static HttpClient httpClient(Executor executor) {
    return ReplicaConnections.client(executor, CONNECT_TIMEOUT);
  }

  @Override
  public Optional<ServedModel> served() {
    return Optional.ofNullable(served.get());
  }

  /** One until it is known what the server is. */
  @Override
  public OptionalInt slots() {
    return served.get() == null ? OptionalInt.of(1) : slots;
  }

  /**
   * What a server of a kind that is known says elsewhere than in its list of models: llama.cpp's of
   * its slots, the context of each and its template, Ollama of the context of a loaded model. That
   * of llama-cpp-python has one slot.
   */
  private ServedModel examined(ServedModel model, Duration timeout) throws InterruptedException {
    return switch (dialect.get().name()) {
      case "llama.cpp" -> {
        JsonNode props = told("props", timeout);
        int total = props.path("total_slots").asInt(0);
        int known = total > 0 ? total : told("slots", timeout).size();
        slots = known > 0 ? OptionalInt.of(known) : OptionalInt.empty();
        if (!props.path("chat_template_caps").path("supports_tools").asBoolean(true)) {
          LOG.info("{}: the template of {} shows no tools, so the prompt does", base(), model.id());
          dialect.updateAndGet(Dialect::withoutTools);
        }
        yield model.context(props.path("default_generation_settings").path("n_ctx"));
      }
      case "llama-cpp-python" -> {
        slots = OptionalInt.of(1);
        yield model;
      }
      case "ollama" ->
          told("api/ps", timeout)
              .path("models")
              .valueStream()
              .filter(one -> one.path("model").asText().equals(model.id()))
              .map(one -> model.context(one.path("context_length")))
              .findFirst()
              .orElse(model);
      default -> model;
    };
  }

  /** Nothing where the server does not answer it. */
  JsonNode told(String path, Duration timeout) throws InterruptedException {
    return told(path, BodyPublishers.noBody(), timeout);
  }

  /** The same of a question with a body; one without is a GET. */
  JsonNode told(String path, BodyPublisher body, Duration timeout) throws InterruptedException {
    try {
      String method = body.contentLength() == 0 ? "GET" : "POST";
      return http.json(request(root(base()).resolve(path)).method(method, body).build(), timeout);
    } catch (CallFailure failure) {
      LOG.debug("{} does not tell {}: {}", base(), path, failure.getMessage());
      return MissingNode.getInstance();
    }
  }

  @Override
  void exchange(Exchange exchange, String key, Deadline begin, Deadline end, ReplyBuilder reply)
      throws CallFailure, InterruptedException {
    HttpRequest post = post(exchange, key);
    try (Opened opened = http.open(post, begin)) {
      if (opened.status() / 100 != 2) {
        throw StatusErrors.failure(post.uri(), opened.response(), opened.rest(end));
      }
      reply.accept();
      if (opened.events(end)) {
        new EventStream(exchange, opened, reply).read(begin, () -> goOn(end));
      } else {
        Wire wire = Wire.of(exchange.dialect().protocol());
        wire.read(HttpExchanges.parse(opened, whole(opened, end, reply)), reply);
        reply.end();
      }
    } catch (CallFailure failure) {
      if (failure.refusal() && !reply.begun()) {
        reply.refuse();
      }
      throw failure.at(post.uri());
    }
  }

  @Override
  JsonNode embeddings(InferenceRequest request, Duration timeout)
      throws CallFailure, InterruptedException {
    return new Embeddings(this, request).ask(timeout);
  }

  /** What a path below the API's answers a body, of at most so many bytes. */
  JsonNode answer(String path, ObjectNode body, String key, int most, Duration timeout)
      throws CallFailure, InterruptedException {
    HttpRequest post =
        request(resolve(path))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", printable(key))
            .header(Dialect.REQUEST_ID, uuid(key))
            .POST(BodyPublishers.ofByteArray(HttpExchanges.bytes(body)))
            .build();
    return http.atMost(most).json(post, timeout);
  }

  /** The body; what came of one that has no end is told, so that it is booked. */
  private static byte[] whole(Opened opened, Deadline end, ReplyBuilder reply)
      throws CallFailure, InterruptedException {
    try {
      return opened.rest(end);
    } catch (CallFailure failure) {
      reply.unread(opened.come());
      throw failure;
    }
  }

  /**
   * Says that of a prompt's blocks those behind its beginning are wanted least: {@code POST
   * /colony/evict}, which the embedded replica takes and no other server that is known.
   *
   * @param key of the exchange, not used before
   * @throws InferenceException if the server does not take it
   */
  public void evictNext(InferenceRequest request, PromptPrefix kept, String key, Duration timeout)
      throws InterruptedException {
    URI uri = root(base()).resolve("colony/evict");
    try {
      Dialect spoken = dialect.get();
      ReplyContract contract = new ReplyContract(request.reply(), spoken);
      ObjectNode body =
          body(
              new Exchange(
                  request, model(timeout).id(), spoken, contract, List.of(), 1, false, ""));
      body.putObject("keep")
          .put("messages", kept.wholeMessages())
          .put("characters", kept.characters());
      http.json(
          request(uri)
              .header("Content-Type", "application/json")
              .header(Dialect.REQUEST_ID, uuid(key))
              .POST(BodyPublishers.ofByteArray(HttpExchanges.bytes(body)))
              .build(),
          timeout);
    } catch (CallFailure failure) {
      throw failure.at(uri).toInferenceException(Usage.NONE);
    }
  }

  private static String printable(String key) {
    return key.replaceAll("[^\\x21-\\x7E]", "_");
  }

  /** The same for the same key. */
  private static String uuid(String key) {
    return UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private ObjectNode body(Exchange exchange) {
    ObjectNode body = Wire.of(exchange.dialect().protocol()).body(exchange);
    exchange
        .request()
        .extraFields()
        .forEach((field, value) -> {
          if (exchange.sends(field)) {
            body.putIfAbsent(field, value);
          }
        });
    EngineHints.add(body, exchange);
    settings().body().properties().forEach(one -> body.set(one.getKey(), one.getValue()));
    return body;
  }

  private HttpRequest post(Exchange exchange, String key) {
    HttpRequest.Builder post =
        request(resolve(exchange.dialect().protocol().path()))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", printable(key))
            .header(Dialect.REQUEST_ID, uuid(key))
            .POST(BodyPublishers.ofByteArray(HttpExchanges.bytes(body(exchange))));
    EngineHints.add(post, exchange);
    exchange.request().context().traceparent().ifPresent(span -> post.header("traceparent", span));
    if (!exchange.request().prompt().pages().isEmpty()) {
      post.header("X-Colony-Pages", pagesHeader(exchange.request()));
    }
    return post.build();
  }

  /** Ids of the pages, in the order of their messages, percent-encoded where a header needs it. */
  private static String pagesHeader(InferenceRequest request) {
    return request.prompt().pages().stream()
        .map(PromptPage::id)
        .map(id -> URLEncoder.encode(id, StandardCharsets.UTF_8))
        .collect(Collectors.joining(","));
  }

  /**
   * @throws InferenceException if the server is not there
   */
  public void checkAlive(Duration timeout) throws InterruptedException {
    try {
      models(timeout);
    } catch (CallFailure failure) {
      throw failure.toInferenceException(Usage.NONE);
    }
  }

  /** The models that the server lists, at least one. */
  List<ServedModel> models(Duration timeout) throws CallFailure, InterruptedException {
    // Calls that begin at once each look; what one of them finds must not mislead another.
    URI at = api;
    URI uri = resolve(at, "models");
    Deadline end = Deadline.ofReply(timeout);
    JsonNode root;
    try {
      root = list(uri, end);
    } catch (CallFailure failure) {
      URI below = at.resolve("v1/models");
      boolean elsewhere =
          failure.getMessage().contains("answered 404") && !at.getPath().endsWith("/v1/");
      if (!elsewhere) {
        throw failure;
      }
      root = list(below, end);
      api = at.resolve("v1/");
    }
    List<ServedModel> models = new ArrayList<>();
    for (JsonNode model : root.path("data")) {
      if (model.path("id").isTextual()) {
        models.add(ServedModel.of(model));
      }
    }
    if (models.isEmpty()) {
      throw new CallFailure(Kind.BAD_REPLY, uri + " lists no model", null);
    }
    return models;
  }

  private JsonNode list(URI uri, Deadline end) throws CallFailure, InterruptedException {
    try (Opened opened = http.open(request(uri).GET().build(), end)) {
      byte[] body = opened.rest(end);
      if (opened.status() / 100 != 2) {
        throw StatusErrors.failure(uri, opened.response(), body);
      }
      JsonNode root = HttpExchanges.parse(opened, body);
      if (settings().dialect().isEmpty() && Dialect.at(base()).isEmpty()) {
        String server = opened.response().headers().firstValue("Server").orElse("");
        boolean litellm =
            opened.response().headers().map().keySet().stream()
                .anyMatch(name -> name.startsWith("x-litellm"));
        Dialect plain = Dialect.named(Dialect.DEFAULT);
        Dialect.of(
                root.path("data").path(0).path("owned_by").asText(""), litellm ? "litellm" : server)
            .ifPresent(found -> dialect.updateAndGet(now -> now.equals(plain) ? found : now));
      }
      return root;
    }
  }

  /** The model to ask: the configured one, else the first listed that answers prompts. */
  ServedModel model(Duration timeout) throws CallFailure, InterruptedException {
    ServedModel known = served.get();
    if (known == null) {
      known = examined(chosen(timeout), timeout);
      served.set(known);
    }
    return known;
  }

  private ServedModel chosen(Duration timeout) throws CallFailure, InterruptedException {
    List<ServedModel> listed;
    try {
      listed = models(timeout);
    } catch (CallFailure failure) {
      boolean lists = failure.kind() != Kind.REFUSED && failure.kind() != Kind.BAD_REPLY;
      if (settings().model().isEmpty() || lists) {
        throw failure;
      }
      LOG.info("{} lists no models: asked for {} all the same", base(), settings().model().get());
      listed = List.of();
    }
    if (settings().model().isPresent()) {
      String name = settings().model().get();
      return listed.stream()
          .filter(one -> one.id().equals(name))
          .findFirst()
          .orElseGet(() -> ServedModel.named(name));
    }
    ServedModel first =
        choose(listed)
            .orElseThrow(() ->
                new CallFailure(
                    Kind.REFUSED, base() + " lists no model that answers prompts; name one", null));
    if (listed.size() > 1) {
      LOG.info(
          "{} lists {} models: {} is asked; name another with COLONY_MODEL",
          base(),
          listed.size(),
          first.id());
    }
    return first;
  }

  /** The first that answers prompts. */
  static Optional<ServedModel> choose(List<ServedModel> listed) {
    return listed.stream().filter(ServedModel::chats).findFirst();
  }

  private HttpRequest.Builder request(URI uri) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .header("Accept", "application/json, text/event-stream")
            .header("User-Agent", userAgent);
    settings()
        .apiKey()
        .ifPresent(key -> {
          switch (dialect.get().auth()) {
            case BEARER -> request.header("Authorization", "Bearer " + key);
            case API_KEY -> request.header("api-key", key);
            case X_API_KEY -> request.header("x-api-key", key);
          }
        });
    if (dialect.get().protocol() == Dialect.Protocol.MESSAGES) {
      request.header("anthropic-version", AnthropicMessages.VERSION);
    }
    settings().headers().forEach(request::setHeader);
    return request;
  }

  /** A path below the API's, with the query that the address has. */
  private URI resolve(String path) {
    return resolve(api, path);
  }

  private URI resolve(URI at, String path) {
    String query = base().getRawQuery() == null ? "" : "?" + base().getRawQuery();
    return at.resolve(path + query);
  }

  /** Where the protocol's paths are: {@code /v1/}, unless the address has a path. */
  static URI api(URI base) {
    String path = base.getPath() == null ? "" : base.getPath().replaceAll("/+$", "");
    String below = path.replaceAll("/(chat/completions|responses|messages|models)$", "");
    return base.resolve((below.isEmpty() ? "/v1" : below) + "/");
  }

  /** The server's own root, above {@code /v1}. */
  static URI root(URI base) {
    String text = api(base).getPath().replaceAll("/v1/$", "/");
    return base.resolve(text);
  }
}
