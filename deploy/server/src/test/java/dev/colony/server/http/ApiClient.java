package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A client that holds every answer against the OpenAPI document. */
final class ApiClient {

  static final Duration LONGEST = Duration.ofSeconds(60);

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final URI base;
  private final Optional<String> key;

  private ApiClient(URI base, Optional<String> key) {
    this.base = base;
    this.key = key;
  }

  static ApiClient of(HttpApi api) {
    return at(api.uri());
  }

  static ApiClient at(URI base) {
    return new ApiClient(base, Optional.empty());
  }

  ApiClient key(String one) {
    return new ApiClient(base, Optional.of(one));
  }

  /** What was answered. */
  record Reply(int status, Map<String, String> headers, String text) {

    JsonNode json() {
      return text.isEmpty() ? MissingNode.getInstance() : parse(text);
    }

    Reply is(int expected) {
      assertThat(status).as(text).isEqualTo(expected);
      return this;
    }

    /** That it is this problem, on one line. */
    Reply problem(int expected, String code) {
      is(expected);
      if (json().has("jsonrpc")) {
        return jsonRpcError(code);
      }
      if (json().has("error")) {
        return openAiError(code.equals("no-key") ? "invalid_api_key" : code.replace('-', '_'));
      }
      assertThat(headers.get("content-type")).startsWith("application/problem+json");
      assertThat(json().path("code").asText()).isEqualTo(code);
      assertThat(json().path("type").asText()).isEqualTo("urn:colony:problem:" + code);
      assertThat(json().path("status").asInt()).isEqualTo(expected);
      assertThat(json().path("detail").asText()).isNotEmpty().doesNotContain("\n", "Exception");
      return this;
    }

    private Reply jsonRpcError(String code) {
      JsonNode error = json().path("error");
      assertThat(headers.get("content-type")).isEqualTo("application/json");
      assertThat(json().path("id").isNull()).isTrue();
      assertThat(error.path("code").isInt()).isTrue();
      assertThat(error.at("/data/code").asText()).isEqualTo(code);
      assertThat(error.path("message").asText()).isNotEmpty().doesNotContain("\n", "Exception");
      return this;
    }

    private Reply openAiError(String code) {
      JsonNode error = json().path("error");
      assertThat(headers.get("content-type")).isEqualTo("application/json");
      boolean anthropic = json().path("type").asText().equals("error");
      assertThat(error.at(anthropic ? "/details/error_code" : "/code").asText()).isEqualTo(code);
      assertThat(error.path("type").asText()).isNotEmpty();
      assertThat(error.path("message").asText()).isNotEmpty().doesNotContain("\n", "Exception");
      return this;
    }
  }

  Reply get(String path) {
    return send("GET", path, "", Map.of());
  }

  Reply post(String path, String body) {
    return send("POST", path, body, Map.of());
  }

  Reply send(String method, String path, String body, Map<String, String> headers) {
    try {
      HttpResponse<String> answer =
          HTTP.send(request(method, path, body, headers), BodyHandlers.ofString());
      Map<String, String> shown = new java.util.TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      answer.headers().map().forEach((name, values) -> shown.put(name, values.getFirst()));
      Reply reply = new Reply(answer.statusCode(), shown, answer.body());
      OpenApi.DOCUMENT.check(method, path, reply);
      return reply;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** The lines of a stream, as they come; closing it ends the stream. */
  Stream<String> stream(String path, Map<String, String> headers) {
    return stream("GET", path, "", headers);
  }

  /** The same of a request with a body. */
  Stream<String> stream(String method, String path, String body, Map<String, String> headers) {
    try {
      HttpResponse<Stream<String>> answer =
          HTTP.send(request(method, path, body, headers), BodyHandlers.ofLines());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("content-type").orElse(""))
          .startsWith("text/event-stream");
      return answer.body();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private HttpRequest request(
      String method, String path, String body, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(LONGEST)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (!body.isEmpty() && !headers.containsKey("Content-Type")) {
      request.header("Content-Type", "application/json");
    }
    key.ifPresent(one -> request.header("Authorization", "Bearer " + one));
    headers.forEach(request::header);
    return request.build();
  }

  static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException malformed) {
      throw new UncheckedIOException(malformed);
    }
  }
}
