package dev.colony.server.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.AgentId;
import dev.colony.agent.TraceParent;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.client.wire.RequestBody;
import dev.colony.server.Authenticator;
import dev.colony.server.Principal;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A request as an endpoint sees it. What is not as it should be is refused in one line.
 *
 * @param acting is told of what the call does that changes something, where the operation alone
 *     does not say so
 * @param names what its path names
 * @param query decoded
 * @param headers by their names in lower case
 * @param body empty where there was none
 */
record Call(
    Principal principal,
    Consumer<String> acting,
    Map<String, String> names,
    Map<String, List<String>> query,
    Map<String, String> headers,
    String body) {

  /** Objects and lists within each other. */
  private static final int DEEPEST = 200;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .disable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();

  static {
    JSON.getFactory()
        .setStreamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build());
  }

  Call with(String text) {
    return new Call(principal, acting, names, query, headers, text);
  }

  /** What the path names so; it does. */
  String path(String name) {
    return Optional.ofNullable(names.get(name))
        .orElseThrow(() -> new IllegalStateException("the path names no " + name));
  }

  AgentId agent() {
    return agent(path("agent"));
  }

  /** One of the path's colony. */
  AgentId agent(String name) {
    return new AgentId(path("tenant"), path("colony"), name);
  }

  String tenant() {
    return Scope.tenant(path("tenant")).tenant();
  }

  /** What the caller says, see {@link Principal#signed}. */
  String signed(Optional<String> words) {
    return principal.signed(words);
  }

  /**
   * Who does it, for the record: {@link #signed}, and where that says nothing, the caller's name.
   */
  String who(Optional<String> said) {
    String signed = signed(said);
    return signed.isEmpty() ? principal.name() : signed;
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  /** The span that makes it; empty where the header is not there, or is none. */
  Optional<TraceParent> traceparent() {
    return header(TraceParent.HEADER).flatMap(TraceParent::parse);
  }

  /** A parameter that may be left out, and may be given once. */
  Optional<String> query(String name) {
    List<String> given = query.getOrDefault(name, List.of());
    if (given.size() > 1) {
      throw Refusal.of(Code.BAD_REQUEST, "the parameter " + name + " is given more than once");
    }
    return given.stream().findFirst();
  }

  /**
   * A parameter that is one of the constants of an enumeration, in upper or lower case.
   *
   * @throws Refusal naming the constants
   */
  <E extends Enum<E>> Optional<E> constant(String name, Class<E> of) {
    return query(name)
        .map(word ->
            Arrays.stream(of.getEnumConstants())
                .filter(one -> one.name().equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() ->
                    Refusal.of(
                        Code.BAD_REQUEST,
                        "%s is %s, but must be one of %s"
                            .formatted(name, word, Arrays.toString(of.getEnumConstants())))));
  }

  List<String> queries(String name) {
    return query.getOrDefault(name, List.of());
  }

  /** How many entries a page may have at the most. */
  int limit(int usual, int most) {
    return (int) number("limit", usual, 1, most);
  }

  long number(String name, long otherwise, long least, long most) {
    return query(name).map(text -> number(name, text, least, most)).orElse(otherwise);
  }

  long number(String name) {
    return number(name, path(name), 1, Long.MAX_VALUE);
  }

  private static long number(String name, String text, long least, long most) {
    if (text.matches("\\d{1,18}")) {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw Refusal.of(
        Code.BAD_REQUEST, "%s is %s, but must be %d to %d".formatted(name, text, least, most));
  }

  boolean flag(String name) {
    return switch (query(name).orElse("false")) {
      case "true" -> true;
      case "false" -> false;
      case String other ->
          throw new IllegalArgumentException(name + " is true or false, not: " + other);
    };
  }

  /** The body; what was left out whole is an empty object. */
  <T extends RequestBody> T body(Class<T> kind) {
    return RequestBody.read(json(), kind);
  }

  void checkEmpty() {
    JsonNode json = json();
    if (!json.isObject() || !json.isEmpty()) {
      throw new IllegalArgumentException("the body has no fields");
    }
  }

  JsonNode json() {
    try {
      return ValueRules.check("the body", JSON.readTree(body.isBlank() ? "{}" : body));
    } catch (StreamConstraintsException tooMuch) {
      throw Refusal.of(Code.BAD_REQUEST, "the body " + bound(tooMuch.getOriginalMessage()));
    } catch (JsonProcessingException malformed) {
      throw Refusal.of(Code.BAD_REQUEST, "the body is no JSON" + where(malformed.getLocation()));
    }
  }

  /** What of a text of the reader's is of use to its caller. */
  private static String bound(String words) {
    return words.contains("nesting depth")
        ? "is nested deeper than " + DEEPEST + " levels"
        : "has a number, a text or a name that is too long";
  }

  private static String where(JsonLocation place) {
    return place == null
        ? ""
        : ": line %d, column %d".formatted(place.getLineNr(), place.getColumnNr());
  }

  /**
   * The caller of a request, as its head says. The authenticator may be asked again later: keys
   * come and go and tokens expire while a stream is open. Immutable; no record, since its words
   * would hold the key.
   */
  static final class Caller {

    private static final String BEARER = "bearer ";

    private static final String CHALLENGE = "Bearer realm=\"colony\"";

    /** Where Anthropic's clients give the key; counts where there is no bearer. */
    static final String API_KEY = "x-api-key";

    private final Authenticator authenticator;
    private final Optional<String> credential;
    private final String host;
    private final Optional<String> origin;

    /**
     * @param headers by their names in lower case
     */
    Caller(Authenticator authenticator, Map<String, String> headers) {
      this.authenticator = authenticator;
      this.credential =
          Optional.ofNullable(headers.get("authorization"))
              .filter(value -> value.toLowerCase(Locale.ROOT).startsWith(BEARER))
              .map(value -> value.substring(BEARER.length()).strip())
              .or(() -> Optional.ofNullable(headers.get(API_KEY)));
      this.host = headers.getOrDefault("host", "");
      this.origin = Optional.ofNullable(headers.get("origin"));
    }

    /** Whether {@link #principal} may block. */
    boolean blocks() {
      return authenticator.blocks(credential);
    }

    /**
     * Who that is now.
     *
     * @throws Refusal if the authenticator does not let the caller in
     */
    Principal principal() {
      return switch (authenticator.enter(credential, host, origin)) {
        case Authenticator.Entry.Admitted admitted -> admitted.principal();
        case Authenticator.Entry.NoKey none ->
            throw Refusal.of(
                Code.NO_KEY,
                "give a valid key: Authorization: Bearer KEY, or x-api-key: KEY",
                Map.of("WWW-Authenticate", CHALLENGE));
        case Authenticator.Entry.BadToken bad ->
            throw Refusal.of(
                Code.NO_KEY,
                "the token is not taken: " + bad.why(),
                Map.of(
                    "WWW-Authenticate",
                    "%s, error=\"invalid_token\", error_description=\"%s\""
                        .formatted(CHALLENGE, quotable(bad.why()))));
        case Authenticator.Entry.Unverified unknown ->
            throw Refusal.of(
                Code.UNVERIFIED,
                "the token cannot be checked: " + unknown.why(),
                Map.of("Retry-After", "5"));
        case Authenticator.Entry.ForeignHost foreign ->
            throw Refusal.of(
                Code.FOREIGN_HOST,
                "without keys this server is for its own machine only: call it localhost, and from"
                    + " no page of another origin");
      };
    }

    /** What may stand in a description of an error (RFC 6750, 3). */
    private static String quotable(String text) {
      return text.replaceAll("[^ -~]|[\"\\\\]", "'");
    }
  }
}
