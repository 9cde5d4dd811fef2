package dev.colony.client.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A request to the API.
 *
 * @param path below the base, with its leading slash
 * @param held how long the server may take on purpose
 */
record ApiCall(
    String method,
    String path,
    Map<String, String> query,
    Optional<ObjectNode> body,
    Duration held) {

  /**
   * @throws IllegalArgumentException if something in it is not well-formed: it would arrive as
   *     something else
   */
  ApiCall {
    query.forEach((name, text) -> Text.check("the parameter " + name, text));
    body.ifPresent(json -> ValueRules.check("the body", json));
  }

  static ApiCall get(String path) {
    return new ApiCall("GET", path, Map.of(), Optional.empty(), Duration.ZERO);
  }

  static ApiCall post(String path, ObjectNode body) {
    return new ApiCall("POST", path, Map.of(), Optional.of(body), Duration.ZERO);
  }

  static ApiCall put(String path, ObjectNode body) {
    return new ApiCall("PUT", path, Map.of(), Optional.of(body), Duration.ZERO);
  }

  ApiCall query(Map<String, String> parameters) {
    Map<String, String> all = new LinkedHashMap<>(query);
    all.putAll(parameters);
    return new ApiCall(method, path, all, body, held);
  }

  ApiCall query(String name, Object value) {
    return query(Map.of(name, value.toString()));
  }

  ApiCall waiting(Duration longest) {
    return new ApiCall(method, path, query, body, longest).query("wait", longest.toSeconds());
  }

  /** Path and query as they stand in the URL. */
  String target() {
    return query.isEmpty()
        ? path
        : path
            + query.entrySet().stream()
                .map(one -> encoded(one.getKey()) + "=" + encoded(one.getValue()))
                .collect(Collectors.joining("&", "?", ""));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
