package dev.colony.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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

  HttpResponse<String> chat(String body, String... headers) {
    return post("/v1/chat/completions", body, headers);
  }

  static JsonNode json(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
