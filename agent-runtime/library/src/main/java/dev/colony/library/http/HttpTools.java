package dev.colony.library.http;

import dev.colony.agent.AgentException;
import dev.colony.core.secret.Secrets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way of a node's agents to services over HTTP, one for all of them. It follows no redirect,
 * knows no cookies and uses no proxy. Thread-safe; calls block their (virtual) thread.
 *
 * <p>The addresses of a host are looked at right before a request. The JVM keeps what it has
 * resolved for {@code networkaddress.cache.ttl}, 30 seconds by default, so that the connection goes
 * to the addresses that were looked at; a node on which that is 0 has no such guarantee.
 */
public final class HttpTools {

  private final HttpToolSettings settings;
  private final HttpClient client;
  private final Semaphore calls;

  public HttpTools(HttpToolSettings settings) {
    this.settings = settings;
    this.client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(settings.connectTimeout())
            .build();
    this.calls = new Semaphore(settings.maxCalls());
  }

  HttpToolSettings settings() {
    return settings;
  }

  /** The bytes of an answer, and whether there were more. */
  record Body(byte[] bytes, boolean cut) {}

  /** A request failed; whether the server may have got it. */
  static final class Unanswered extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean sent;

    Unanswered(String message, Throwable cause, boolean sent) {
      super(message, cause);
      this.sent = sent;
    }

    boolean sent() {
      return sent;
    }
  }

  /** What a header names in its place, as far as blueprints may name it on this node. */
  Map<String, String> resolve(Secrets secrets, Map<String, String> headers) {
    for (String name : Secrets.named(headers.values())) {
      if (!settings.secrets().contains(name)) {
        throw AgentException.refused(
            "headers may not name %s on this node: colony.agent.http.secrets does not list it"
                .formatted(name));
      }
    }
    try {
      return secrets.resolve(headers);
    } catch (IllegalStateException missing) {
      throw new AgentException(missing.getMessage(), missing, true);
    }
  }

  /**
   * Refuses a host whose addresses are of this machine or its network.
   *
   * @param named whether the agent's blueprint names the host as it stands
   * @throws AgentException saying why; retryable if the host cannot be resolved
   */
  void check(URI url, boolean named) {
    String host = url.getHost();
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException unknown) {
      throw new AgentException("the host " + host + " cannot be resolved", unknown, true);
    }
    for (InetAddress address : addresses) {
      if (!open(address) && !(named && settings.mayReachPrivate(host))) {
        throw AgentException.refused(
            named
                ? "%s is at %s, an address of this node or its network: colony.agent.http.private-hosts does not list it"
                    .formatted(host, address.getHostAddress())
                : "%s is at %s, an address of this node or its network, and allowed only by a host with a star"
                    .formatted(host, address.getHostAddress()));
      }
    }
  }

  /** Whether an address is one of the open internet. */
  static boolean open(InetAddress address) {
    byte[] bytes = address.getAddress();
    int first = bytes[0] & 0xff;
    int second = bytes[1] & 0xff;
    if (address.isAnyLocalAddress()
        || address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    if (address instanceof Inet6Address) {
      boolean unique = (first & 0xfe) == 0xfc;
      boolean translated = first == 0x00 && second == 0x64 || first == 0x20 && second == 0x02;
      boolean compatible = first == 0 && second == 0;
      return !unique && !translated && !compatible;
    }
    boolean shared = first == 100 && (second & 0xc0) == 64;
    boolean special = first == 0 || first >= 240 || first == 192 && second == 0 && bytes[2] == 0;
    boolean benchmark = first == 198 && (second & 0xfe) == 18;
    return !shared && !special && !benchmark;
  }

  /**
   * Makes a request and reads its answer, at most {@code most} bytes of it.
   *
   * @param longest for all of it, waiting for its turn on this node included
   */
  HttpResponse<Body> exchange(HttpRequest request, int most, Duration longest)
      throws Unanswered, InterruptedException {
    long deadline = System.nanoTime() + longest.toNanos();
    if (!calls.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new Unanswered(
          "%d requests of agents of this node are under way, and it has had no turn within %s"
              .formatted(settings.maxCalls(), longest),
          null,
          false);
    }
    CompletableFuture<HttpResponse<Body>> answer =
        client.sendAsync(
            request, info -> new BoundedBody(Math.min(most, settings.maxResponseBytes())));
    try {
      return answer.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      throw new Unanswered(shown(request.uri()) + " has not answered within " + longest, late, true);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      boolean unsent =
          cause instanceof ConnectException
              || cause instanceof HttpConnectTimeoutException
              || !(cause instanceof IOException);
      throw new Unanswered(
          shown(request.uri()) + " cannot be reached: " + cause, cause, !unsent);
    } finally {
      answer.cancel(true);
      calls.release();
    }
  }

  /** A URL without its query, which may hold what is not for logs. */
  static String shown(URI url) {
    return url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath();
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
