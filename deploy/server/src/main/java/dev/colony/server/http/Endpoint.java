package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * One operation of the API. Immutable.
 *
 * @param operationId names it in the OpenAPI document
 * @param least the role that a key must have at least
 * @param reach which keys' tenants reach it
 * @param parameters what its query may have
 */
record Endpoint(
    String operationId,
    Verb verb,
    PathTemplate path,
    Role least,
    Reach reach,
    Set<String> parameters,
    Handler handler) {

  /** They are asked by POST, and change nothing by themselves. */
  private static final Set<String> LOOKS =
      Set.of("countMessageTokens", "createEmbedding", "explore", McpEndpoints.OPERATION);

  enum Verb {
    GET,
    POST,
    PUT,
    DELETE
  }

  /** Whom it concerns. */
  enum Reach {
    /** The tenant that its path names. */
    TENANT,
    /** No tenant: every caller with a key may ask. */
    NO_TENANT,
    /** Every caller, also one without a key where others need one. */
    ANYONE,
    /** All tenants at once. */
    EVERY_TENANT
  }

  /** Answers a call. Runs on a virtual thread, and may block. */
  @FunctionalInterface
  interface Handler {

    /**
     * @throws Refusal and the exceptions that {@link Problems} knows
     */
    ApiResponse answer(Call call);
  }

  Endpoint {
    parameters = Set.copyOf(parameters);
    if (path.names("tenant") != (reach == Reach.TENANT)) {
      throw new IllegalArgumentException(operationId + " reaches " + reach + " at " + path);
    }
  }

  /** Whether a call of it changes something, so that the audit log has it. */
  boolean changes() {
    return verb != Verb.GET && !LOOKS.contains(operationId);
  }

  /**
   * Lets the principal pass.
   *
   * @throws Refusal if it may not do that, or asks for it by a parameter that would be passed over,
   *     and with it what was meant
   */
  void check(Principal principal, Call call) {
    boolean reaches =
        switch (reach) {
          case TENANT -> principal.reaches(call.path("tenant"));
          case NO_TENANT, ANYONE -> true;
          case EVERY_TENANT -> principal.everyTenant();
        };
    if (!reaches) {
      throw Refusal.foreign(principal);
    }
    if (!principal.role().covers(least)) {
      throw Refusal.of(
          Code.FORBIDDEN,
          "%s has the role %s, and %s needs %s"
              .formatted(principal.title(), principal.role(), operationId, least));
    }
    for (String parameter : call.query().keySet()) {
      if (!parameters.contains(parameter)) {
        throw Refusal.of(
            Code.BAD_REQUEST,
            "%s has no parameter %s; it has %s"
                .formatted(
                    operationId,
                    parameter,
                    parameters.isEmpty() ? "none" : String.join(", ", new TreeSet<>(parameters))));
      }
    }
  }

  /**
   * A path of which some segments are names: {@code /v1/tenants/{tenant}}.
   *
   * @param text as OpenAPI writes it
   */
  record PathTemplate(String text) {

    PathTemplate {
      if (!text.matches("(/([a-z0-9._-]+|\\{[a-zA-Z]+\\}))+")) {
        throw new IllegalArgumentException("no path template: " + text);
      }
    }

    /** What the names stand for, if the path is one of these. A name is never empty. */
    Optional<Map<String, String>> match(List<String> segments) {
      List<String> own = segments();
      if (own.size() != segments.size()) {
        return Optional.empty();
      }
      Map<String, String> names = new HashMap<>();
      for (int i = 0; i < own.size(); i++) {
        String segment = segments.get(i);
        if (name(own.get(i))) {
          if (segment.isEmpty()) {
            return Optional.empty();
          }
          names.put(own.get(i).substring(1, own.get(i).length() - 1), segment);
        } else if (!own.get(i).equals(segment)) {
          return Optional.empty();
        }
      }
      return Optional.of(names);
    }

    boolean names(String parameter) {
      return segments().contains("{" + parameter + "}");
    }

    /** How many segments stand there as they are: of two that match, the one with more is meant. */
    long fixed() {
      return segments().stream().filter(segment -> !name(segment)).count();
    }

    private List<String> segments() {
      return List.of(text.substring(1).split("/"));
    }

    private static boolean name(String segment) {
      return segment.startsWith("{");
    }
  }

  /** What carries out the operations of the OpenAPI document. Not thread-safe. */
  static final class Handlers {

    private final Map<String, Handler> byOperation = new HashMap<>();

    void on(String operationId, Handler handler) {
      if (byOperation.put(operationId, handler) != null) {
        throw new IllegalStateException(operationId + " has two handlers");
      }
    }
  }

  record EndpointTable(List<Endpoint> endpoints) {

    private static final String HEAD = "HEAD";
    private static final String OPTIONS = "OPTIONS";

    EndpointTable {
      endpoints =
          endpoints.stream()
              .sorted(Comparator.comparing((Endpoint one) -> one.path().fixed()).reversed())
              .toList();
    }

    /**
     * The operations of the OpenAPI document, each with its handler: the document alone says paths,
     * methods, parameters, and which keys an operation needs.
     *
     * @throws IllegalStateException if an operation has no handler, or a handler no operation
     */
    static EndpointTable of(JsonNode document, Handlers handlers) {
      Map<String, Handler> left = new HashMap<>(handlers.byOperation);
      List<Endpoint> endpoints = new ArrayList<>();
      for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
        for (Verb verb : Verb.values()) {
          JsonNode operation = path.getValue().path(verb.name().toLowerCase(Locale.ROOT));
          if (operation.isObject()) {
            String id = operation.path("operationId").asText();
            Handler handler = left.remove(id);
            if (handler == null) {
              throw new IllegalStateException("operation " + id + " has no handler");
            }
            endpoints.add(
                endpoint(document, id, verb, new PathTemplate(path.getKey()), operation, handler));
          }
        }
      }
      if (!left.isEmpty()) {
        throw new IllegalStateException("the OpenAPI document has no operation " + left.keySet());
      }
      return new EndpointTable(endpoints);
    }

    EndpointTable with(List<Endpoint> others) {
      return new EndpointTable(Stream.concat(endpoints.stream(), others.stream()).toList());
    }

    private static Endpoint endpoint(
        JsonNode document,
        String id,
        Verb verb,
        PathTemplate path,
        JsonNode operation,
        Handler handler) {
      Set<String> query = new HashSet<>();
      for (JsonNode given : operation.path("parameters")) {
        JsonNode parameter =
            given.has("$ref") ? document.at(given.path("$ref").asText().substring(1)) : given;
        if (parameter.path("in").asText().equals("query")) {
          query.add(parameter.path("name").asText());
        }
      }
      boolean anyone = operation.path("security").isArray();
      Role least =
          anyone
              ? Role.VIEWER
              : Role.valueOf(operation.path("x-least-role").asText().toUpperCase(Locale.ROOT));
      return new Endpoint(id, verb, path, least, reach(path, operation, anyone), query, handler);
    }

    private static Reach reach(PathTemplate path, JsonNode operation, boolean anyone) {
      if (path.names("tenant")) {
        return Reach.TENANT;
      }
      if (anyone) {
        return Reach.ANYONE;
      }
      return operation.path("x-reach").asText().equals("every-key")
          ? Reach.NO_TENANT
          : Reach.EVERY_TENANT;
    }

    sealed interface Found {

      /**
       * @param headOnly whether the answer's body is not asked for
       */
      record Matched(Endpoint endpoint, Map<String, String> names, boolean headOnly)
          implements Found {}

      /** It asks which methods the path takes: these. */
      record Options(Set<String> allowed) implements Found {}

      /** The path takes these methods only. */
      record OtherMethod(Set<String> allowed) implements Found {}

      record Nothing() implements Found {}
    }

    /**
     * Looks one up. Each path that takes GET takes HEAD too, and each path OPTIONS (RFC 9110, 9.3.2
     * and 9.3.7).
     *
     * @param segments decoded
     */
    Found find(String method, List<String> segments) {
      String verb = method.equals(HEAD) ? Endpoint.Verb.GET.name() : method;
      Set<String> allowed = new TreeSet<>();
      for (Endpoint endpoint : endpoints) {
        var names = endpoint.path().match(segments);
        if (names.isPresent()) {
          if (endpoint.verb().name().equals(verb)) {
            return new Found.Matched(endpoint, names.get(), method.equals(HEAD));
          }
          allowed.add(endpoint.verb().name());
        }
      }
      if (allowed.isEmpty()) {
        return new Found.Nothing();
      }
      allowed.add(OPTIONS);
      if (allowed.contains(Endpoint.Verb.GET.name())) {
        allowed.add(HEAD);
      }
      return method.equals(OPTIONS) ? new Found.Options(allowed) : new Found.OtherMethod(allowed);
    }
  }
}
