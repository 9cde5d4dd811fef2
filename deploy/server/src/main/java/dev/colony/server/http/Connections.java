package dev.colony.server.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The connections of the API that are open, and which of them have to go so that others find room.
 * One is half open until its first request has come, idle between an answer and the next request,
 * else busy. A busy connection is never closed by it. Half-open ones have a budget of their own for
 * each address, far below the connections of one: they cost their client nothing. Where hardly any
 * connection is free, half-open ones go first, a shorter while after they came, so that those who
 * wait behind them soon have their turn; then those that have been idle for longest. A client has a
 * moment to send its request, however many come at once.
 *
 * <p>The addresses of one IPv6 network of 64 bits count as one: a host has all of them.
 *
 * <p>Thread-safe; does not block. What it keeps is bounded by the connections that are open.
 */
final class Connections {

  /** Of one address, unless that is more than a quarter of all. */
  static final int HALF_OPEN = 64;

  /** How long a connection may wait for a request whatever else waits. */
  static final Duration GRACE = Duration.ofMillis(500);

  /** The same of one that is half open where hardly any is free. */
  static final Duration SHORT_GRACE = Duration.ofMillis(50);

  private static final int NETWORK = 8;

  /** Of the connections one in so many is kept free, as long as others have nothing to do. */
  private static final int SPARE = 8;

  private enum State {
    HALF_OPEN,
    IDLE,
    BUSY,
    CLOSING
  }

  private static final class Address {
    int open;
    int halfOpen;
  }

  private final Map<String, Address> addresses = new HashMap<>();
  private final Set<Connection> waiting = new LinkedHashSet<>();
  private final int most;
  private final int perAddress;
  private final int halfOpenMost;
  private final LongSupplier nanos;
  private int open;
  private int closing;
  private int crowded;

  /**
   * @param most open at once; further ones are not accepted by the server until one ends
   * @param perAddress open at once, of one remote address
   * @param nanos a clock that never goes back
   */
  Connections(int most, int perAddress, LongSupplier nanos) {
    this.most = most;
    this.perAddress = perAddress;
    this.halfOpenMost = Math.max(1, Math.min(HALF_OPEN, most / 4));
    this.nanos = nanos;
  }

  static String key(InetAddress address) {
    return address instanceof Inet6Address
        ? Arrays.toString(Arrays.copyOf(address.getAddress(), NETWORK))
        : address.getHostAddress();
  }

  /**
   * A new one, half open.
   *
   * @param close called at most once, on any thread, when the connection is to go unless a request
   *     has come meanwhile
   * @return empty if its address has as many as it may, or there are too many in all
   */
  synchronized Optional<Connection> enter(InetAddress remote, Runnable close) {
    Address address = addresses.computeIfAbsent(key(remote), any -> new Address());
    // Streams whose client has ended its side are open, and the server counts them no more.
    if (address.open >= perAddress || open >= most + spare()) {
      return Optional.empty();
    }
    open++;
    address.open++;
    Connection connection = new Connection(key(remote), address, close);
    connection.become(State.HALF_OPEN);
    return Optional.of(connection);
  }

  /** Closes those that have to go; to be called more often than a short grace lasts. */
  void sweep() {
    overdue().forEach(connection -> connection.close.run());
  }

  private synchronized List<Connection> overdue() {
    List<Connection> go = new ArrayList<>();
    boolean full = full();
    if (crowded == 0 && !full) {
      return go;
    }
    long now = nanos.getAsLong();
    for (Connection one : List.copyOf(waiting)) {
      if (now - one.since < SHORT_GRACE.toNanos()) {
        break;
      }
      if (full && one.state == State.HALF_OPEN && open - closing > most / 2
          || now - one.since >= GRACE.toNanos()
              && (full() || one.state == State.HALF_OPEN && one.address.halfOpen > halfOpenMost)) {
        one.become(State.CLOSING);
        go.add(one);
      }
    }
    return go;
  }

  private boolean full() {
    return open - closing > most - spare();
  }

  private int spare() {
    return Math.max(1, most / SPARE);
  }

  final class Connection {

    private final String key;
    private final Address address;
    private final Runnable close;
    private State state = State.BUSY;
    private long since;

    private Connection(String key, Address address, Runnable close) {
      this.key = key;
      this.address = address;
      this.close = close;
    }

    /** A request has come. */
    void busy() {
      synchronized (Connections.this) {
        become(State.BUSY);
      }
    }

    /** Its request is answered to the end; it waits for the next. */
    void idle() {
      synchronized (Connections.this) {
        become(State.IDLE);
      }
    }

    void left() {
      synchronized (Connections.this) {
        become(State.BUSY);
        open--;
        address.open--;
        if (address.open == 0) {
          addresses.remove(key);
        }
      }
    }

    private void become(State next) {
      waiting.remove(this);
      boolean wasCrowded = address.halfOpen > halfOpenMost;
      address.halfOpen += half(next) - half(state);
      crowded += (address.halfOpen > halfOpenMost ? 1 : 0) - (wasCrowded ? 1 : 0);
      closing += (next == State.CLOSING ? 1 : 0) - (state == State.CLOSING ? 1 : 0);
      state = next;
      since = nanos.getAsLong();
      if (next == State.HALF_OPEN || next == State.IDLE) {
        waiting.add(this);
      }
    }

    private static int half(State state) {
      return state == State.HALF_OPEN ? 1 : 0;
    }
  }
}
