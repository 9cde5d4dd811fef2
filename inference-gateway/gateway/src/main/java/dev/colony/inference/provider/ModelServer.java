package dev.colony.inference.provider;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.HttpExchanges.Deadline;
import dev.colony.inference.provider.HttpExchanges.Opened;
import dev.colony.inference.provider.ReplyContract.Reading;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One model server, asked in its dialect. What a refusal says of the dialect is kept, and the
 * request is made again at once; that counts as no attempt. Calls block, so they belong on virtual
 * threads; an interrupt aborts the call at the server. Thread-safe.
 */
public final class ModelServer {

  private static final Logger LOG = LoggerFactory.getLogger(ModelServer.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** How often one attempt may learn something of the server's dialect. */
  private static final int MOST_LESSONS = 12;

  /** How much more room a reply gets that was cut at its bound. */
  private static final int MORE_ROOM = 4;

  /** Room that is left for a reply at least where a context is nearly full. */
  private static final int LEAST_ROOM = 16;

  /** By how much an estimate of a prompt's tokens may be too high. */
  private static final double ESTIMATE_HIGH = 1.4;

  private static final int CHARS_PER_TOKEN = 4;

  private static final Pattern CONTEXT =
      Pattern.compile("maximum context length (?:is|of) (\\d{2,9})");
  private static final Pattern PROMPT =
      Pattern.compile("(\\d{1,9}) (?:in the messages|input tokens|in your prompt|prompt tokens)");

  private final URI base;
  private final ProviderSettings settings;
  private final HttpExchanges http;
  private final String userAgent;
  private final AtomicReference<Dialect> dialect;
  private final AtomicReference<ServedModel> served = new AtomicReference<>();

  /** Where the protocol's paths are; ends in a slash. */
  private volatile URI api;

  /**
   * @param base the server's address: with its path where that is not {@code /v1}
   */
  public ModelServer(URI base, ProviderSettings settings, HttpClient http) {
    this(base, settings, http, "colony");
  }

  private ModelServer(URI base, ProviderSettings settings, HttpClient http, String userAgent) {
    this.base = base;
    this.api = api(base);
    this.settings = settings;
    this.http = new HttpExchanges(http, settings.maxReplyBytes());
    this.userAgent = userAgent;
    this.dialect =
        new AtomicReference<>(
            settings
                .dialect()
                .or(() -> Dialect.at(base))
                .orElseGet(() -> Dialect.named(Dialect.DEFAULT)));
  }

  /** A client whose {@code User-Agent} says to the server's log from which node it calls. */
  public static ModelServer ofNode(
      String node, URI base, ProviderSettings settings, HttpClient http) {
    return new ModelServer(base, settings, http, "colony (" + node + ")");
  }

  /** An HTTP client as this class needs it; one serves any number of servers. */
  public static HttpClient httpClient(ProviderSettings settings, Executor executor) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(settings.connectTimeout())
        .executor(executor)
        .build();
  }

  /** Of the model that is asked; empty before the first call, and where nothing says it. */
  OptionalLong contextTokens() {
    ServedModel model = served.get();
    return settings.contextTokens().isPresent() || model == null
        ? settings.contextTokens()
        : model.contextTokens();
  }

  /** As far as it is known by now. */
  public Dialect dialect() {
    return dialect.get();
  }

  /**
   * One attempt. A reply that is not what the request's form demands is asked for once more: with
   * more room if it was cut at its bound, else with what was wrong shown to the model. After that
   * it is a bad reply.
   *
   * @param replica how the server is called in what the parts say
   * @param timeout for all exchanges of the attempt together
   * @param parts gets the reply's parts as they come, on the caller's thread; but no {@link
   *     InferenceDelta.Done}
   * @param spent is told what each exchange used, also if this is interrupted
   */
  public Attempt complete(
      InferenceRequest request,
      String replica,
      Duration timeout,
      Consumer<InferenceDelta> parts,
      UsageTally spent)
      throws InterruptedException {
    try {
      return new Attempting(request, replica, timeout, parts, spent).run();
    } catch (CallFailure failure) {
      return failure.toAttempt(spent.total());
    }
  }

  /** One attempt on its way. */
  private final class Attempting {

    private final InferenceRequest request;
    private final String replica;
    private final Deadline end;
    private final Consumer<InferenceDelta> parts;
    private final UsageTally spent;
    private List<ChatMessage> repairs = List.of();
    private String suffix = "";
    private int maxTokens;
    private int lessons;
    private boolean widened;
    private boolean repaired;
    private OptionalLong cached = OptionalLong.empty();
    private boolean first = true;

    Attempting(
        InferenceRequest request,
        String replica,
        Duration timeout,
        Consumer<InferenceDelta> parts,
        UsageTally spent) {
      this.request = request;
      this.replica = replica;
      this.end =
          Deadline.in(timeout, "gave no complete reply within " + timeout.toMillis() + " ms");
      this.parts = parts;
      this.spent = spent;
      this.maxTokens = request.reply().maxTokens();
    }

    Attempt.Answered run() throws CallFailure, InterruptedException {
      ServedModel model = model(request, Duration.ofNanos(end.leftNanos()));
      fit(model);
      while (true) {
        Dialect spoken = dialect.get();
        ReplyContract contract = new ReplyContract(request.reply(), spoken);
        Exchange exchange = new Exchange(request, model.id(), spoken, contract, repairs, maxTokens);
        Asked asked;
        try {
          asked = ask(exchange);
        } catch (CallFailure failure) {
          again(spoken, failure);
          continue;
        }
        ReplyBuilder reply = asked.reply();
        if (first) {
          cached = reply.cached();
          first = false;
        }
        switch (reading(contract, reply)) {
          case Reading.Good good -> {
            return new Attempt.Answered(
                good.text(),
                good.toolCalls(),
                reply.reasoning(),
                good.toolCalls().isEmpty()
                    ? reply.finish().orElse(FinishReason.STOP)
                    : FinishReason.TOOL_CALLS,
                spent.total(),
                cached,
                reply.model().isEmpty() ? model.id() : reply.model(),
                asked.firstToken());
          }
          case Reading.Wrong wrong -> once(reply, wrong.why());
        }
      }
    }

    private Reading reading(ReplyContract contract, ReplyBuilder reply) throws CallFailure {
      if (!reply.refusal().isBlank()) {
        throw CallFailure.bad(
                "answered that the model refuses: " + HttpExchanges.oneLine(reply.refusal()))
            .at(base);
      }
      if (reply.text().isEmpty() && reply.calls().isEmpty()) {
        if (reply.finish().equals(Optional.of(FinishReason.CONTENT_FILTER))) {
          throw CallFailure.bad("answered nothing: its content filter held the reply back")
              .at(base);
        }
        return new Reading.Wrong(
            reply.reasoning().isEmpty() ? "it is empty" : "it has reasoning but no answer");
      }
      return contract.read(reply, request.callId());
    }

    /** Prepares for asking once more, or gives up. */
    private void once(ReplyBuilder reply, String why) throws CallFailure {
      boolean cut = reply.finish().equals(Optional.of(FinishReason.LENGTH));
      int room = (int) Math.min((long) maxTokens * MORE_ROOM, settings.maxReplyTokens());
      if (cut && !widened && room > maxTokens) {
        widened = true;
        maxTokens = room;
        suffix = "-longer";
        fit(served.get());
      } else if (!repaired && !cut) {
        repaired = true;
        suffix = "-repair";
        repairs =
            List.of(
                new ChatMessage.Assistant(said(reply), List.of()),
                new ChatMessage.User(
                    "This reply is not as it has to be: "
                        + why
                        + "\nReply again, with nothing but the corrected reply."));
      } else {
        throw CallFailure.bad(
                "twice gave a reply that is not as it has to be"
                    + (cut ? ", and was cut at its bound of " + maxTokens + " tokens" : "")
                    + ": "
                    + why)
            .at(base);
      }
    }

    private static String said(ReplyBuilder reply) {
      String calls =
          reply.calls().stream()
              .map(call -> call.name() + " " + call.arguments())
              .collect(Collectors.joining("\n"));
      String text = reply.text() + (calls.isEmpty() || reply.text().isEmpty() ? "" : "\n") + calls;
      return text.isBlank() ? "(nothing)" : text;
    }

    /** Learns from a refusal, or passes the failure on. */
    private void again(Dialect spoken, CallFailure failure) throws CallFailure {
      if (lessons++ < MOST_LESSONS) {
        if (failure.kind() == Kind.TOO_LONG && shrunk(failure.getMessage())) {
          return;
        }
        // Some answer 500 where they want to be started with another option.
        boolean option = failure.getMessage().contains("requires --");
        if (failure.kind() == Kind.REFUSED || option) {
          Optional<Dialect> learned = Refusals.learn(spoken, failure.param(), failure.getMessage());
          if (learned.isPresent()) {
            LOG.info("{} is asked as {}", base, learned.get().describe());
            LOG.debug("{}", failure.getMessage());
            dialect.compareAndSet(spoken, learned.get());
            return;
          }
        }
      }
      throw failure;
    }

    /** Whether the reply's bound was all that made the request too long. */
    private boolean shrunk(String words) {
      Matcher context = CONTEXT.matcher(words);
      Matcher prompt = PROMPT.matcher(words);
      if (!context.find() || !prompt.find()) {
        return false;
      }
      int left = Integer.parseInt(context.group(1)) - Integer.parseInt(prompt.group(1));
      boolean fits = left >= LEAST_ROOM && left < maxTokens;
      if (fits) {
        maxTokens = left;
      }
      return fits;
    }

    /** Refuses a prompt that cannot fit, and leaves the reply no more room than there is. */
    private void fit(ServedModel model) throws CallFailure {
      OptionalLong context = contextTokens();
      if (context.isEmpty()) {
        return;
      }
      long most = context.getAsLong();
      long prompt = request.prompt().estimatedTokens();
      if (prompt / ESTIMATE_HIGH > most) {
        throw new CallFailure(
            Kind.TOO_LONG,
            "the prompt has about %d tokens, but %s at %s takes %d"
                .formatted(prompt, model.id(), base, most),
            null);
      }
      maxTokens = (int) Math.min(maxTokens, Math.max(LEAST_ROOM, most - prompt));
    }

    private Asked ask(Exchange exchange) throws CallFailure, InterruptedException {
      ReplyBuilder reply = new ReplyBuilder(parts);
      parts.accept(new InferenceDelta.Asked(replica, exchange.model()));
      boolean sent = false;
      try {
        HttpRequest post = post(exchange, request.callId() + suffix);
        long from = System.nanoTime();
        Deadline head = exchange.dialect().streams() ? firstToken().or(end) : end;
        try (Opened opened = http.open(post, head)) {
          if (opened.status() / 100 != 2) {
            throw StatusErrors.failure(post.uri(), opened.response(), opened.rest(end));
          }
          sent = true;
          return new Asked(reply, read(exchange, opened, head, reply, from));
        } catch (CallFailure failure) {
          throw failure.at(post.uri());
        }
      } finally {
        if (sent) {
          spent.add(reply.usage().orElseGet(() -> estimate(reply)));
        }
      }
    }

    /** Where the server does not say. */
    private Usage estimate(ReplyBuilder reply) {
      return new Usage(
          request.prompt().estimatedTokens(), 0, reply.characters() / CHARS_PER_TOKEN, 0);
    }

    private Deadline firstToken() {
      Duration most = settings.firstTokenTimeout();
      return Deadline.in(most, "began no reply within " + most.toMillis() + " ms");
    }

    private Deadline nextToken() {
      Duration most = settings.nextTokenTimeout();
      return Deadline.in(most, "sent no more of its reply for " + most.toMillis() + " ms");
    }

    /** Reads the reply to its end; how long its first part took. */
    private Duration read(
        Exchange exchange, Opened opened, Deadline head, ReplyBuilder reply, long from)
        throws CallFailure, InterruptedException {
      Wire wire = Wire.of(exchange.dialect().protocol());
      if (!opened.events()) {
        wire.read(HttpExchanges.parse(opened.uri(), opened.rest(end)), reply);
        reply.end();
        return Duration.ofNanos(System.nanoTime() - from);
      }
      Optional<Duration> firstToken = Optional.empty();
      String event = "";
      StringBuilder data = new StringBuilder();
      boolean done = false;
      while (!done) {
        Deadline until = reply.begun() ? nextToken().or(end) : head;
        String line = opened.line(until);
        if (line == null || line.isEmpty()) {
          done = line == null || data.toString().equals("[DONE]");
          if (!data.isEmpty() && !data.toString().equals("[DONE]")) {
            wire.read(event, event(data.toString()), reply);
          }
          event = "";
          data.setLength(0);
        } else if (line.startsWith("data:")) {
          data.append(data.isEmpty() ? "" : "\n").append(line.substring(5).stripLeading());
        } else if (line.startsWith("event:")) {
          event = line.substring(6).strip();
        }
        if (firstToken.isEmpty() && reply.begun()) {
          firstToken = Optional.of(Duration.ofNanos(System.nanoTime() - from));
        }
      }
      reply.end();
      if (reply.finish().isEmpty()) {
        throw CallFailure.unplaced(
            Kind.BROKEN_OFF, "broke off its reply: it ended without saying why", null);
      }
      return firstToken.orElseGet(() -> Duration.ofNanos(System.nanoTime() - from));
    }

    private static JsonNode event(String data) throws CallFailure {
      try {
        JsonNode node = JSON.readTree(data);
        if (node != null && node.path("error").isContainerNode()) {
          throw CallFailure.said(node.path("error"), "broke off its reply");
        }
        return node;
      } catch (JsonProcessingException failure) {
        throw CallFailure.unplaced(
            Kind.BAD_REPLY, "sent a part of its reply that is not JSON", failure);
      }
    }
  }

  /** A reply, and how long its first part took. */
  private record Asked(ReplyBuilder reply, Duration firstToken) {}

  private HttpRequest post(Exchange exchange, String key) {
    String id = key.replaceAll("[^\\x21-\\x7E]", "_");
    ObjectNode body = Wire.of(exchange.dialect().protocol()).body(exchange);
    settings.body().properties().forEach(one -> body.set(one.getKey(), one.getValue()));
    HttpRequest.Builder post =
        request(resolve(exchange.dialect().protocol().path()))
            .header("Content-Type", "application/json")
            .header("X-Request-Id", id)
            .header("Idempotency-Key", id)
            .POST(BodyPublishers.ofByteArray(HttpExchanges.bytes(body)));
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

  /** The models that the server lists, at least one. */
  List<ServedModel> models(Duration timeout) throws CallFailure, InterruptedException {
    URI uri = resolve("models");
    Deadline end =
        Deadline.in(timeout, "gave no complete reply within " + timeout.toMillis() + " ms");
    JsonNode root;
    try {
      root = list(uri, end);
    } catch (CallFailure failure) {
      URI below = api.resolve("v1/models");
      boolean elsewhere =
          failure.getMessage().contains("answered 404") && !api.getPath().endsWith("/v1/");
      if (!elsewhere) {
        throw failure;
      }
      root = list(below, end);
      api = api.resolve("v1/");
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
      JsonNode root = HttpExchanges.parse(uri, body);
      if (settings.dialect().isEmpty() && Dialect.at(base).isEmpty()) {
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
  private ServedModel model(InferenceRequest request, Duration timeout)
      throws CallFailure, InterruptedException {
    ServedModel known = served.get();
    if (known == null) {
      known = chosen(timeout);
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
      if (settings.model().isEmpty() || lists) {
        throw failure;
      }
      LOG.info("{} lists no models: asked for {} all the same", base, settings.model().get());
      listed = List.of();
    }
    if (settings.model().isPresent()) {
      String name = settings.model().get();
      return listed.stream()
          .filter(one -> one.id().equals(name))
          .findFirst()
          .orElseGet(() -> new ServedModel(name, OptionalLong.empty(), ""));
    }
    ServedModel first =
        choose(listed)
            .orElseThrow(() ->
                new CallFailure(
                    Kind.REFUSED, base + " lists no model that answers prompts; name one", null));
    if (listed.size() > 1) {
      LOG.info(
          "{} lists {} models: {} is asked; name another with COLONY_MODEL",
          base,
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
    settings
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
    settings.headers().forEach(request::setHeader);
    return request;
  }

  /** A path below the API's, with the query that the address has. */
  private URI resolve(String path) {
    String query = base.getRawQuery() == null ? "" : "?" + base.getRawQuery();
    return api.resolve(path + query);
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
