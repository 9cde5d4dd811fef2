package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.http.Endpoint.Verb;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** HEAD, OPTIONS and methods that a path does not take, for every path of the table. */
class MethodsTest extends ServedApi {

  @Override
  Map<String, ?> settings() {
    return Map.of("rate.per-second", 10_000, "rate.burst", 10_000);
  }

  @Test
  void headIsAnsweredAsGetIsWithoutTheBody() {
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      if (endpoint.verb() != Verb.GET) {
        continue;
      }
      String path =
          path(endpoint) + (endpoint.parameters().contains("scope") ? "?scope=tenant:acme" : "");
      String head = raw("HEAD", path);
      assertThat(head).as(endpoint.operationId()).endsWith("\r\n\r\n");
      boolean stream = endpoint.path().text().endsWith("/board/events");
      if (stream) {
        assertThat(head).startsWith("HTTP/1.1 200 ").contains("Content-Type: text/event-stream");
      } else {
        Reply get = client.get(path);
        assertThat(head)
            .as(endpoint.operationId())
            .startsWith("HTTP/1.1 " + get.status() + " ")
            .containsIgnoringCase("Content-Type: " + get.headers().get("content-type"));
      }
    }
  }

  @Test
  void optionsSaysWhichMethodsThereAreAndOthersAreRefusedWithThem() {
    allowed()
        .forEach((path, methods) -> {
          String allow = String.join(", ", methods);
          Reply options = client.send("OPTIONS", path, "", Map.of()).is(204);
          assertThat(options.headers().get("Allow")).as(path).isEqualTo(allow);
          assertThat(options.text()).isEmpty();
          for (String other : Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE")) {
            if (!methods.contains(other)) {
              assertThat(raw(other, path))
                  .as(other + " " + path)
                  .startsWith("HTTP/1.1 405 ")
                  .contains("Allow: " + allow);
            }
          }
        });
    client.send("OPTIONS", "/v1/nothing", "", Map.of()).problem(404, "not-found");
  }

  private static Map<String, Set<String>> allowed() {
    Map<String, Set<String>> allowed = new TreeMap<>();
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      Set<String> methods =
          allowed.computeIfAbsent(path(endpoint), path -> new TreeSet<>(Set.of("OPTIONS")));
      methods.add(endpoint.verb().name());
      if (endpoint.verb() == Verb.GET) {
        methods.add("HEAD");
      }
    }
    return allowed;
  }

  private String raw(String method, String path) {
    try (RawClient raw = new RawClient(api.uri(), ApiClient.LONGEST)) {
      return raw.send(
              "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .formatted(method, path))
          .readToEnd();
    }
  }

  /** Of a thing that is not there, so that nothing is held. */
  static String path(Endpoint endpoint) {
    return endpoint
        .path()
        .text()
        .replace("{tenant}", ApiRig.TENANT)
        .replace("{sequenceNr}", "1")
        .replaceAll("\\{\\w+\\}", "x");
  }
}
