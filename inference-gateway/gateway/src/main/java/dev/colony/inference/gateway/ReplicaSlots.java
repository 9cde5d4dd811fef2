package dev.colony.inference.gateway;

import dev.colony.inference.replicas.EngineLoad;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * How many calls each replica takes at once: as many as it says, else as many as its engine runs
 * where some wait there, else as many as its replies have shown. A server of so many slots begins a
 * reply when another one ends; where calls have been held up in that way several times in a row,
 * the most replies that have come at once are its slots, until one more is tried.
 *
 * <p>Thread-safe; each question costs O(calls at the replica).
 */
final class ReplicaSlots {

  /** Calls in a row that were held up until another one ended, before that counts. */
  private static final int HELD = 3;

  /** Replies after which one more call at once is tried. */
  private static final int TRIED_AFTER = 32;

  /** A call was held up if it waited so many times longer than one that was alone. */
  private static final double HELD_UP = 2;

  /** What an engine says of its load counts for so long. */
  private static final long LOAD_NANOS = 5_000_000_000L;

  /** A server that has shown nothing for so long does not get on. */
  private static final long MOVING_NANOS = 15_000_000_000L;

  /** Replicas come and go: beyond it, what is known of those without a call is forgotten. */
  private static final int MOST_SERVERS = 1024;

  private final int most;
  private final LongSupplier clock;
  private final Map<String, Server> servers = new ConcurrentHashMap<>();

  /**
   * @param most calls at one replica at once, whatever it takes
   * @param clock nanoseconds
   */
  ReplicaSlots(int most, LongSupplier clock) {
    this.most = most;
    this.clock = clock;
  }

  /**
   * Calls that may be under way at a replica.
   *
   * @param told by the server; empty where it says nothing
   */
  int of(String replica, OptionalInt told) {
    Server server = servers.get(replica);
    int asFarAsKnown = server == null ? most : server.slots();
    return Math.max(1, Math.min(most, told.orElse(asFarAsKnown)));
  }

  /** A call goes to a replica; {@link Call#ended} has to follow. */
  Call sent(String replica) {
    return server(replica).sent();
  }

  /** An engine has said what its load is. */
  void load(String replica, EngineLoad load) {
    server(replica).load(load);
  }

  private Server server(String replica) {
    if (servers.size() > MOST_SERVERS) {
      servers.values().removeIf(Server::idle);
    }
    return servers.computeIfAbsent(replica, id -> new Server());
  }

  private final class Server {
    private final Set<Call> calls = new HashSet<>();
    private Optional<EngineLoad> load = Optional.empty();
    private long loadAt;
    private long changedAt;
    private int shown;
    private int learned = most;
    private int held;
    private int replies;
    private double alone;
    private long endedAt;

    synchronized boolean idle() {
      return calls.isEmpty();
    }

    synchronized int slots() {
      boolean fresh = load.isPresent() && clock.getAsLong() - loadAt < LOAD_NANOS;
      if (fresh) {
        return load.get().waiting() > 0 ? load.get().running() + 1 : most;
      }
      return learned;
    }

    synchronized Call sent() {
      Call call = new Call(this, clock.getAsLong(), calls.isEmpty());
      calls.add(call);
      return call;
    }

    synchronized void load(EngineLoad told) {
      loadAt = clock.getAsLong();
      if (!load.equals(Optional.of(told))) {
        changedAt = loadAt;
      }
      load = Optional.of(told);
    }

    private synchronized void part(Call call) {
      call.partAt = clock.getAsLong();
      if (call.begun) {
        return;
      }
      call.begun = true;
      int streaming = (int) calls.stream().filter(one -> one.begun).count();
      shown = Math.max(shown, streaming);
      double waited = call.partAt - call.sentAt;
      if (call.alone) {
        alone = alone == 0 ? waited : (alone + waited) / 2;
      }
      boolean behind = endedAt > call.sentAt && alone > 0 && !call.alone;
      boolean heldUp = behind && waited > HELD_UP * alone && call.partAt - endedAt <= waited / 2;
      held = heldUp ? held + 1 : behind ? held : 0;
      replies++;
      if (held >= HELD && learned > shown) {
        learned = shown;
        replies = 0;
      } else if (learned < most && replies >= TRIED_AFTER) {
        learned++;
        held = HELD - 1;
        replies = 0;
      }
    }

    private synchronized void ended(Call call, boolean brokenOff) {
      calls.remove(call);
      if (!call.begun) {
        return;
      }
      endedAt = clock.getAsLong();
      boolean another = calls.stream().anyMatch(one -> one.sentAt >= call.sentAt && !one.begun);
      if (brokenOff && another && shown <= 1) {
        // The other one has had it broken off, and would be broken off by its retry.
        learned = 1;
        replies = 0;
      }
    }

    private synchronized boolean moves(Call call) {
      long now = clock.getAsLong();
      boolean engine =
          load.filter(told -> told.running() + told.waiting() > 0).isPresent()
              && now - changedAt < MOVING_NANOS;
      boolean ended = endedAt >= call.sentAt && now - endedAt < MOVING_NANOS;
      return engine
          || ended
          || calls.stream()
              .anyMatch(one -> one != call && one.begun && now - one.partAt < MOVING_NANOS);
    }
  }

  /** A call at a replica. */
  static final class Call {
    private final Server server;
    private final long sentAt;
    private final boolean alone;
    private long partAt;
    private boolean begun;

    private Call(Server server, long sentAt, boolean alone) {
      this.server = server;
      this.sentAt = sentAt;
      this.alone = alone;
    }

    /** A part of its reply has come. */
    void part() {
      server.part(this);
    }

    /**
     * It is over.
     *
     * @param brokenOff whether the server has broken its reply off
     */
    void ended(boolean brokenOff) {
      server.ended(this, brokenOff);
    }

    /** Whether the server gets on with what it has, so that this call's turn may yet come. */
    boolean moves() {
      return server.moves(this);
    }
  }
}
