package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Drives a server over plain HTTP, as any client might. */
final class HttpDriver implements AutoCloseable {

  static final ObjectMapper JSON = new ObjectMapper();

  private final URI base;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  HttpDriver(URI base) {
    this.base = base;
  }

  HttpResponse<String> get(String path) {
    return getAsync(path).join();
  }

  CompletableFuture<HttpResponse<String>> getAsync(String path) {
    return client.sendAsync(
        HttpRequest.newBuilder(base.resolve(path)).GET().build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body, String... headers) {
    return postAsync(path, body, headers).join();
  }

  CompletableFuture<HttpResponse<String>> postAsync(String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path)).POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.sendAsync(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(base.resolve(path))
            .method(method, BodyPublishers.ofString(body))
            .build();
    return client.sendAsync(request, BodyHandlers.ofString()).join();
  }

  HttpResponse<String> chat(String body, String... headers) {
    return post("/v1/chat/completions", body, headers);
  }

  /** The events of a stream, without the mark of its end, which must be there. */
  List<JsonNode> stream(ObjectNode body) {
    HttpResponse<String> response = chat(body.put("stream", true).toString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type"))
        .hasValue("text/event-stream; charset=utf-8");
    List<String> events =
        response.body().lines().filter(line -> !line.isEmpty()).map(l -> l.substring(6)).toList();
    assertThat(events.getLast()).isEqualTo("[DONE]");
    return events.subList(0, events.size() - 1).stream().map(HttpDriver::parsed).toList();
  }

  /** The first sample of a metric. */
  static double sample(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf("} ") + 2)))
        .findFirst()
        .orElseThrow();
  }

  static JsonNode parsed(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode json(HttpResponse<String> response) {
    return parsed(response.body());
  }

  @Override
  public void close() {
    client.close();
  }
}
