package dev.colony.library.capability;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.core.registry.Secrets;
import dev.colony.library.capability.HttpService.Method;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The way of a node's agents to services over HTTP, one for all of them: what the node lets agents
 * reach and name, and how many requests it makes at a time. Thread-safe; calls block their
 * (virtual) thread.
 *
 * <p>The addresses of a host are looked at when a request is allowed, and again when it is its
 * turn. The client then resolves the host by itself: as a rule it gets what the JVM has just kept
 * ({@code networkaddress.cache.ttl}, 30 seconds by default), but a name whose time in that cache
 * ends in between may lead elsewhere. The JDK's client cannot be told an address beside the name
 * that it checks a certificate against, so that this is left to the network's own rules.
 */
public final class HttpTools {

  /** Gives the addresses of a host. */
  interface Resolver {
    InetAddress[] addresses(String host) throws UnknownHostException;
  }

  /** How long a connection may take to be made. */
  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** Redirects that are followed when reading. */
  static final int MOST_REDIRECTS = 5;

  private final HttpToolSettings settings;
  private final HttpTransport transport;
  private final Resolver resolver;
  private final Semaphore calls;

  public HttpTools(HttpToolSettings settings, HttpTransport transport) {
    this(settings, transport, InetAddress::getAllByName);
  }

  HttpTools(HttpToolSettings settings, HttpTransport transport, Resolver resolver) {
    this.settings = settings;
    this.transport = transport;
    this.resolver = resolver;
    this.calls = new Semaphore(settings.maxCalls());
  }

  /** What a header names in its place, as far as blueprints may name it on this node. */
  Map<String, String> resolve(Secrets secrets, Map<String, String> headers) {
    checkNamed(headers);
    try {
      return secrets.resolve(headers);
    } catch (IllegalStateException missing) {
      throw new AgentException(missing.getMessage(), missing, true);
    }
  }

  /**
   * Refuses headers that name what blueprints may not name on this node.
   *
   * @throws AgentException naming it
   */
  void checkNamed(Map<String, String> headers) {
    for (String name : Secrets.named(headers.values())) {
      if (!settings.secrets().contains(name)) {
        throw AgentException.refused(
            "headers may not name %s on this node: colony.agent.http.secrets does not list it"
                .formatted(name));
      }
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
      addresses = resolver.addresses(host);
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
   * Makes a request when it is its turn, if its host is still where it may be reached.
   *
   * @param named as {@link #check} takes it
   * @param most bytes of the answer that are read; the node's bound at most
   * @param longest for all of it, waiting for its turn on this node included
   */
  HttpTransport.Reply exchange(
      HttpTransport.Request request, boolean named, int most, Duration longest)
      throws HttpTransport.Unanswered, InterruptedException {
    Deadline deadline = Deadline.in(longest);
    if (!calls.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new HttpTransport.Unanswered(
          "%d requests of agents of this node are under way, and it has had no turn within %s"
              .formatted(settings.maxCalls(), longest),
          null,
          false);
    }
    try {
      recheck(request.url(), named);
      Duration left = deadline.left();
      return transport.exchange(
          request,
          Math.min(most, settings.maxResponse()),
          left.isPositive() ? left : Duration.ofMillis(1));
    } finally {
      calls.release();
    }
  }

  private void recheck(URI url, boolean named) throws HttpTransport.Unanswered {
    try {
      check(url, named);
    } catch (AgentException elsewhere) {
      throw new HttpTransport.Unanswered(elsewhere.getMessage(), elsewhere, false);
    }
  }

  /** A URL without its query, which may hold what is not for logs. */
  static String shown(URI url) {
    return url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath();
  }

  /**
   * Makes HTTP requests as they are: follows no redirect, knows no cookies, uses no proxy, repeats
   * nothing. Thread-safe; calls block their (virtual) thread.
   */
  public interface HttpTransport {

    /**
     * A request.
     *
     * @param headers one value each
     * @param body empty for none
     */
    record Request(Method method, URI url, Map<String, String> headers, Optional<String> body) {}

    /**
     * An answer.
     *
     * @param mediaType empty where the server says none
     * @param location where a redirect leads to
     * @param cut whether there was more than was to be read
     */
    record Reply(
        int status, String mediaType, Optional<String> location, byte[] body, boolean cut) {}

    final class Unanswered extends Exception {

      private static final long serialVersionUID = 1L;

      private final boolean sent;

      /**
       * @param message one line, without the values of headers
       * @param sent whether the server may have got the request
       */
      public Unanswered(String message, Throwable cause, boolean sent) {
        super(message, cause);
        this.sent = sent;
      }

      /** Whether the server may have got the request. */
      public boolean sent() {
        return sent;
      }
    }

    /**
     * Makes a request and reads its answer.
     *
     * @param most bytes of the body that are read
     * @param longest for all of it
     * @throws IllegalArgumentException if a header cannot be sent; the message may show its value
     */
    Reply exchange(Request request, int most, Duration longest)
        throws Unanswered, InterruptedException;
  }

  /**
   * What an operator sets of services over HTTP; reference.conf says what each means.
   *
   * @param privateHosts at addresses of this machine or its network that agents may reach
   * @param secrets that blueprints' headers may name, as {@code env:NAME} and {@code file:PATH}
   * @param maxCalls requests under way at a time
   * @param maxResponse bytes of one answer, whatever a blueprint says
   */
  @Section("colony.agent.http")
  public record HttpToolSettings(
      List<String> privateHosts,
      List<String> secrets,
      @Range(min = "1", max = "10000") int maxCalls,
      @Range(min = "1 KiB", max = "256 MiB") int maxResponse) {

    /** Whether agents may reach a host though its address is of this machine or its network. */
    boolean mayReachPrivate(String host) {
      return privateHosts.contains("*") || privateHosts.contains(host);
    }
  }
}
