package dev.colony.node.runtime;

import dev.colony.blackboard.value.Text;
import dev.colony.library.capability.HttpTools.HttpTransport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One client for all agents of a node. */
public final class JdkHttpTransport implements HttpTransport, AutoCloseable {

  private final HttpClient client;

  public JdkHttpTransport(Duration connectTimeout) {
    this.client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(connectTimeout)
            .build();
  }

  private record Body(byte[] bytes, boolean cut) {}

  @Override
  public Reply exchange(Request request, int most, Duration longest)
      throws Unanswered, InterruptedException {
    CompletableFuture<HttpResponse<Body>> answer =
        client.sendAsync(built(request), info -> new BoundedBody(most));
    try {
      HttpResponse<Body> response = answer.get(longest.toNanos(), TimeUnit.NANOSECONDS);
      return new Reply(
          response.statusCode(),
          response.headers().firstValue("Content-Type").orElse(""),
          response.headers().firstValue("Location"),
          response.body().bytes(),
          response.body().cut());
    } catch (TimeoutException late) {
      throw new Unanswered(host(request.url()) + " has not answered within " + longest, late, true);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      boolean unsent =
          cause instanceof ConnectException
              || cause instanceof HttpConnectTimeoutException
              || !(cause instanceof IOException);
      throw new Unanswered(
          host(request.url()) + " cannot be reached: " + Text.message(cause), cause, !unsent);
    } finally {
      answer.cancel(true);
    }
  }

  private static HttpRequest built(Request request) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(request.url());
    request.headers().forEach(builder::setHeader);
    return builder
        .method(
            request.method().name(),
            request
                .body()
                .map(HttpRequest.BodyPublishers::ofString)
                .orElseGet(HttpRequest.BodyPublishers::noBody))
        .build();
  }

  private static String host(URI url) {
    return url.getScheme() + "://" + url.getRawAuthority();
  }

  /** Ends what is under way; what is asked from then on fails. */
  @Override
  public void close() {
    client.shutdownNow();
  }

  /** Collects an answer up to a bound and lets go of the rest. */
  private static final class BoundedBody implements HttpResponse.BodySubscriber<Body> {

    private final int most;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<Body> body = new CompletableFuture<>();
    private Optional<Flow.Subscription> subscription = Optional.empty();

    BoundedBody(int most) {
      this.most = most;
    }

    @Override
    public CompletionStage<Body> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      subscription = Optional.of(established);
      established.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      boolean cut = false;
      for (ByteBuffer buffer : buffers) {
        byte[] part = new byte[Math.min(buffer.remaining(), most - bytes.size())];
        buffer.get(part);
        bytes.writeBytes(part);
        cut |= buffer.hasRemaining();
      }
      if (cut) {
        subscription.ifPresent(Flow.Subscription::cancel);
        body.complete(new Body(bytes.toByteArray(), true));
      } else {
        subscription.ifPresent(established -> established.request(1));
      }
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      body.complete(new Body(bytes.toByteArray(), false));
    }
  }
}
