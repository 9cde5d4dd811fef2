package dev.colony.langchain4j;

import dev.langchain4j.exception.HttpException;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Makes each exchange on the thread that asks for it, a virtual one, so that an interrupt ends it
 * at any time: streams, too, which LangChain4j's clients read on threads of their own and cannot
 * end before their first part. Thread-safe.
 */
final class BlockingHttpClient implements HttpClient {

  private static final int OK = 200;
  private static final int MULTIPLE_CHOICES = 300;

  /** Larger error bodies are cut: what they say is shown on a line. */
  private static final int MOST_ERROR_BYTES = 64 * 1024;

  /** An error status with its headers. */
  static final class ErrorStatusException extends HttpException {

    private static final long serialVersionUID = 1L;

    private final transient HttpHeaders headers;

    ErrorStatusException(int status, String body, HttpHeaders headers) {
      super(status, body);
      this.headers = headers;
    }

    HttpHeaders headers() {
      return headers;
    }
  }

  private final java.net.http.HttpClient client;

  private BlockingHttpClient(Duration connectTimeout) {
    java.net.http.HttpClient.Builder builder =
        java.net.http.HttpClient.newBuilder()
            .version(java.net.http.HttpClient.Version.HTTP_1_1)
            .followRedirects(java.net.http.HttpClient.Redirect.NEVER);
    if (connectTimeout != null) {
      builder.connectTimeout(connectTimeout);
    }
    this.client = builder.build();
  }

  /** A builder as models of LangChain4j take it. */
  static final class Builder implements HttpClientBuilder {

    private Duration connectTimeout;
    private Duration readTimeout;

    @Override
    public Duration connectTimeout() {
      return connectTimeout;
    }

    @Override
    public HttpClientBuilder connectTimeout(Duration timeout) {
      connectTimeout = timeout;
      return this;
    }

    @Override
    public Duration readTimeout() {
      return readTimeout;
    }

    /** Of no effect: the gateway interrupts a call that takes too long. */
    @Override
    public HttpClientBuilder readTimeout(Duration timeout) {
      readTimeout = timeout;
      return this;
    }

    @Override
    public HttpClient build() {
      return new BlockingHttpClient(connectTimeout);
    }
  }

  @Override
  public SuccessfulHttpResponse execute(HttpRequest request) {
    try {
      HttpResponse<InputStream> response = send(request);
      try (InputStream body = response.body()) {
        return SuccessfulHttpResponse.builder()
            .statusCode(response.statusCode())
            .headers(response.headers().map())
            .body(body.readAllBytes())
            .build();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void execute(
      HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
    try {
      HttpResponse<InputStream> response = send(request);
      try (InputStream body = response.body()) {
        listener.onOpen(
            SuccessfulHttpResponse.builder()
                .statusCode(response.statusCode())
                .headers(response.headers().map())
                .build());
        parser.parse(body, listener);
        listener.onClose();
      }
    } catch (IOException | RuntimeException failure) {
      listener.onError(failure);
    }
  }

  /** A response whose status is no error. */
  private HttpResponse<InputStream> send(HttpRequest request) throws IOException {
    java.net.http.HttpRequest.Builder sent =
        java.net.http.HttpRequest.newBuilder(URI.create(request.url()))
            .method(
                request.method().name(),
                request.body() == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(request.body()));
    request.headers().forEach((name, values) -> values.forEach(one -> sent.header(name, one)));
    HttpResponse<InputStream> response;
    try {
      response = client.send(sent.build(), BodyHandlers.ofInputStream());
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      throw new IOException("the call was given up", ended);
    }
    int status = response.statusCode();
    if (status >= OK && status < MULTIPLE_CHOICES) {
      return response;
    }
    try (InputStream body = response.body()) {
      String said = new String(body.readNBytes(MOST_ERROR_BYTES), StandardCharsets.UTF_8);
      throw new ErrorStatusException(status, said, response.headers());
    }
  }
}
