package dev.colony.mcp;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * An HTTP client that keeps a session alive whatever a server answers to what it need not serve.
 * The SDK ends a session where a server without a stream of its own answers the GET by 404 or 400,
 * or a notification by any status of failure. Here each answer to a GET that is no stream is 405,
 * which the protocol has for "no stream", and each answer to a notification is 202. Answers that
 * ask for a key (401, 403) stay what they are. Thread-safe.
 */
final class OptionalAnswers extends HttpClient {

  private static final int ACCEPTED = 202;
  private static final int NO_STREAM = 405;

  private final HttpClient client;
  private final Predicate<HttpRequest> notification;

  private OptionalAnswers(HttpClient client, Predicate<HttpRequest> notification) {
    this.client = client;
    this.notification = notification;
  }

  /**
   * A builder of such clients.
   *
   * @param notification whether a POST brings what asks for no answer
   */
  static HttpClient.Builder builder(Predicate<HttpRequest> notification) {
    HttpClient.Builder builder = HttpClient.newBuilder().version(Version.HTTP_1_1);
    return (HttpClient.Builder)
        Proxy.newProxyInstance(
            OptionalAnswers.class.getClassLoader(),
            new Class<?>[] {HttpClient.Builder.class},
            (proxy, method, args) -> {
              try {
                Object result = method.invoke(builder, args);
                return result instanceof HttpClient built
                    ? new OptionalAnswers(built, notification)
                    : result == builder ? proxy : result;
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return client.sendAsync(request, handler).thenApply(this::read);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushed) {
    return client.sendAsync(request, handler, pushed).thenApply(this::read);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return read(client.send(request, handler));
  }

  private <T> HttpResponse<T> read(HttpResponse<T> response) {
    int status = response.statusCode();
    if (status == 401 || status == 403) {
      return response;
    }
    if (response.request().method().equals("GET")) {
      String type = response.headers().firstValue("Content-Type").orElse("");
      boolean stream = status == 200 && type.toLowerCase(Locale.ROOT).contains("text/event-stream");
      return stream ? response : new Answer<>(NO_STREAM, response);
    }
    return notification.test(response.request()) ? new Answer<>(ACCEPTED, response) : response;
  }

  /** The same answer with another status. */
  private record Answer<T>(int statusCode, HttpResponse<T> given) implements HttpResponse<T> {

    @Override
    public HttpRequest request() {
      return given.request();
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
      return given.previousResponse();
    }

    @Override
    public HttpHeaders headers() {
      return given.headers();
    }

    @Override
    public T body() {
      return given.body();
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return given.sslSession();
    }

    @Override
    public URI uri() {
      return given.uri();
    }

    @Override
    public Version version() {
      return given.version();
    }
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }
}
