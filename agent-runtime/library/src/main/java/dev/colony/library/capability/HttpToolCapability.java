package dev.colony.library.capability;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.TraceParent;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.Text;
import dev.colony.core.registry.Secrets;
import dev.colony.library.capability.HttpService.Method;
import dev.colony.library.capability.HttpTools.HttpTransport;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Lets an agent use services over HTTP: those that its blueprint lists, and no others, neither by a
 * redirect nor by a host that leads to the node's own network ({@link HttpTools}). Reading is
 * repeated where it fails; what may change something is an external action under an {@code
 * Idempotency-Key}, and is sent again only where the service is said to honour that, or has not
 * taken the request.
 */
@Registered(value = "http.tools", summary = "Services over HTTP that the agent may use.")
public final class HttpToolCapability extends AgentCapability {

  private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
  private static final int SHOWN = 200;
  private static final String SENT = "sent:";
  private static final String KEY_HEADER = "Idempotency-Key";

  /**
   * What an agent may use.
   *
   * @param allow the services, at least one; of several that allow a request the first counts
   * @param timeout of one request, 1 s to 5 min
   * @param maxResponseBytes how much of an answer is read; the node's {@code max-response} at most
   */
  public record Args(
      List<HttpService> allow,
      @Param("as in PT30S") Duration timeout,
      @Range(min = 64, max = 1 << 28) int maxResponseBytes) {

    private static final Duration LONGEST = Duration.ofMinutes(5);

    public Args {
      allow = List.copyOf(allow);
      if (allow.isEmpty()) {
        throw new IllegalArgumentException("an agent that may reach nothing needs no HTTP tools");
      }
      if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "timeout is " + timeout + ", but must be PT1S to " + LONGEST);
      }
      if (maxResponseBytes < 64 || maxResponseBytes > 1 << 28) {
        throw new IllegalArgumentException(
            "maxResponseBytes is " + maxResponseBytes + ", but must be 64 to " + (1 << 28));
      }
    }

    /** These services, 30 seconds a request and 256 KiB of an answer. */
    public static Args allowing(HttpService... services) {
      return new Args(List.of(services), Duration.ofSeconds(30), 256 * 1024);
    }

    public Args timeout(Duration other) {
      return new Args(allow, other, maxResponseBytes);
    }

    public Args maxResponseBytes(int most) {
      return new Args(allow, timeout, most);
    }
  }

  /**
   * What a service answered.
   *
   * @param url that has answered, which after redirects is another than was asked for
   * @param body JSON where the answer is JSON, otherwise text; JSON null where it is neither
   * @param note what is to be known of the body: that it was cut, or is no text; empty otherwise
   */
  record Answer(int status, String url, String mediaType, JsonNode body, String note) {}

  /**
   * A request that was sent, by its idempotency key: what is known after a crash.
   *
   * @param answer empty where it has not come
   */
  record Sent(Optional<Answer> answer) {}

  /** What a service is to a planner. */
  record Usable(String origin, List<String> paths, Set<Method> methods, String summary) {}

  private final Args args;
  private final HttpTools tools;
  private final Secrets secrets = new Secrets(System::getenv);

  public HttpToolCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
    this.tools = context.owner().service(HttpTools.class);
  }

  /** A host that cannot be resolved may be there later; one that the node refuses may not. */
  @Override
  public void checkUsable() {
    for (int i = 0; i < args.allow().size(); i++) {
      HttpService service = args.allow().get(i);
      try {
        if (!service.wild()) {
          tools.check(URI.create(service.origin()), true);
        }
        tools.checkNamed(service.headers());
      } catch (AgentException refused) {
        if (!refused.retryable()) {
          throw AgentException.refused("allow[%d]: %s".formatted(i, refused.getMessage()));
        }
      }
    }
  }

  @ActionExecutor(
      key = "tool_discover",
      summary = "Lists the services over HTTP that may be used, and what each is for.",
      tags = "tools")
  List<Usable> discover() {
    return args.allow().stream()
        .map(one -> new Usable(one.origin(), one.paths(), one.methods(), one.summary()))
        .toList();
  }

  @ActionExecutor(
      key = "tool_use",
      summary =
          "Reads from a service over HTTP (GET). The answer is its status and its body as JSON or "
              + "text. tool_discover lists what may be read.",
      tags = "tools",
      attempts = 3,
      timeout = "10m")
  Answer use(
      @Param("the address without a query, as in https://api.example.com/v1/items") String url,
      @Param("names and values of the query") Optional<Map<String, String>> query)
      throws InterruptedException {
    URI asked = address(url, query.orElse(Map.of()));
    for (int redirects = 0; ; redirects++) {
      HttpService service = allowed(Method.GET, asked);
      HttpTransport.Reply reply;
      try {
        reply =
            exchange(
                service,
                new HttpTransport.Request(Method.GET, asked, headers(service), Optional.empty()));
      } catch (HttpTransport.Unanswered failed) {
        throw new AgentException(secrets.redact(Text.message(failed)), failed, true);
      }
      Optional<String> next = reply.location();
      if (!REDIRECTS.contains(reply.status()) || next.isEmpty()) {
        return answer(asked, reply);
      }
      if (redirects == HttpTools.MOST_REDIRECTS) {
        throw AgentException.refused(
            "%s is redirected more than %d times".formatted(HttpTools.shown(asked), redirects));
      }
      asked = asked.resolve(address(next.get(), Map.of()));
    }
  }

  @ActionExecutor(
      key = "tool_send",
      summary =
          "Sends to a service over HTTP (POST, PUT, PATCH or DELETE), which may change something "
              + "there. tool_discover lists what may be sent where.",
      tags = "tools",
      effect = Effect.EXTERNAL,
      attempts = 3,
      timeout = "10m")
  Answer send(
      @Param("POST, PUT, PATCH or DELETE") Method method,
      @Param("the address without a query, as in https://api.example.com/v1/items") String url,
      @Param("names and values of the query") Optional<Map<String, String>> query,
      @Param("what is sent: JSON, or text") Optional<JsonNode> body,
      IdempotencyKey key)
      throws InterruptedException {
    if (method.safe()) {
      throw AgentException.refused("tool_use reads; tool_send is for what may change something");
    }
    URI asked = address(url, query.orElse(Map.of()));
    HttpService service = allowed(method, asked);
    String note = SENT + key.value();
    Optional<Sent> before =
        Await.result(blackboard().read(note)).map(entry -> entry.as(Sent.class));
    Optional<Answer> answered = before.flatMap(Sent::answer);
    if (answered.isPresent()) {
      return answered.get();
    }
    if (before.isPresent() && !service.honoursKeys()) {
      throw AgentException.refused(
          "a crash or a lost answer hid whether %s took this request, and it does not honour %s: it is not sent again"
              .formatted(service.origin(), KEY_HEADER));
    }
    Map<String, String> headers = headers(service);
    headers.put(KEY_HEADER, key.value());
    body.ifPresent(
        sent -> headers.put("Content-Type", sent.isTextual() ? "text/plain" : "application/json"));
    HttpTransport.Request request =
        new HttpTransport.Request(
            method,
            asked,
            headers,
            body.map(sent -> sent.isTextual() ? sent.textValue() : sent.toString()));
    note(note, Optional.empty());
    HttpTransport.Reply reply;
    try {
      reply = exchange(service, request);
    } catch (HttpTransport.Unanswered failed) {
      if (!failed.sent()) {
        Await.result(blackboard().delete(note));
      }
      throw new AgentException(
          secrets.redact(Text.message(failed)), failed, !failed.sent() || service.honoursKeys());
    }
    if (PASSING.contains(reply.status())) {
      Await.result(blackboard().delete(note));
    }
    Answer answer = answer(asked, reply);
    note(note, Optional.of(answer));
    return answer;
  }

  /** How long it is known what was sent and what was answered. */
  private static final Duration KEPT = Duration.ofDays(1);

  /** Notes what became of a request, for an execution after a crash. */
  private void note(String key, Optional<Answer> answer) {
    Await.result(blackboard().write(Write.value(key, new Sent(answer)).ttl(KEPT)));
  }

  private HttpTransport.Reply exchange(HttpService service, HttpTransport.Request request)
      throws HttpTransport.Unanswered, InterruptedException {
    try {
      return tools.exchange(request, !service.wild(), args.maxResponseBytes(), args.timeout());
    } catch (IllegalArgumentException unfit) {
      // Its message may show the value of a header, which may be a secret.
      throw AgentException.refused(
          "the headers for %s cannot be sent: %s"
              .formatted(
                  HttpTools.shown(request.url()), new TreeSet<>(request.headers().keySet())));
    }
  }

  private static URI address(String url, Map<String, String> query) {
    StringBuilder text = new StringBuilder(url);
    new TreeMap<>(query)
        .forEach((name, value) ->
            text.append(text.indexOf("?") < 0 ? '?' : '&')
                .append(URLEncoder.encode(name, StandardCharsets.UTF_8))
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
    try {
      return new URI(text.toString());
    } catch (URISyntaxException none) {
      throw new AgentException("this is no address: " + Text.line(url, SHOWN), none, false);
    }
  }

  private HttpService allowed(Method method, URI url) {
    HttpService service =
        args.allow().stream()
            .filter(one -> one.allows(method, url))
            .findFirst()
            .orElseThrow(() ->
                AgentException.refused(
                    "%s %s is not allowed; tool_discover lists what is"
                        .formatted(method, Text.line(HttpTools.shown(url), SHOWN))));
    tools.check(url, !service.wild());
    return service;
  }

  private Map<String, String> headers(HttpService service) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("Accept", "application/json, text/*;q=0.9, */*;q=0.1");
    agent()
        .context()
        .traceparent()
        .ifPresent(span -> headers.put(TraceParent.HEADER, span.toString()));
    headers.putAll(tools.resolve(secrets, service.headers()));
    return headers;
  }

  private Answer answer(URI url, HttpTransport.Reply reply) {
    Optional<String> text = text(reply);
    String shown = text.map(secrets::redact).orElse("");
    if (PASSING.contains(reply.status())) {
      throw new AgentException(
          "%s answered %d: %s"
              .formatted(HttpTools.shown(url), reply.status(), Text.line(shown, SHOWN)),
          null,
          true);
    }
    int bytes = reply.body().length;
    List<String> notes = new ArrayList<>();
    if (reply.cut()) {
      notes.add("the body is cut after " + bytes + " bytes");
    }
    if (text.isEmpty()) {
      notes.add("the body is no text in UTF-8: " + bytes + " bytes");
    }
    JsonNode body =
        text.isEmpty()
            ? JsonNodeFactory.instance.nullNode()
            : reply.mediaType().contains("json") && !reply.cut()
                ? json(shown)
                : JsonNodeFactory.instance.textNode(shown);
    return new Answer(
        reply.status(), url.toString(), reply.mediaType(), body, String.join("; ", notes));
  }

  /** Empty if the bytes are no text; a character that a cut has parted is left out. */
  private static Optional<String> text(HttpTransport.Reply reply) {
    int length = reply.body().length;
    for (int less = 0; less <= (reply.cut() ? Math.min(3, length) : 0); less++) {
      try {
        return Optional.of(
            StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(reply.body(), 0, length - less))
                .toString());
      } catch (CharacterCodingException other) {
        // tried without the last byte, or no text
      }
    }
    return Optional.empty();
  }

  private static JsonNode json(String text) {
    try {
      return JsonValues.parse(text);
    } catch (JsonProcessingException none) {
      return JsonNodeFactory.instance.textNode(text);
    }
  }
}
