package dev.colony.journal;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the store has acknowledged to this node: of each log the sequence number of the last event
 * and the newest frames. Held against the store, it shows what the store has lost; and it may give
 * that back. Bounded: of more logs, or more bytes, those go that were written longest ago, and of
 * one log the oldest frames but the last. Thread-safe.
 */
final class Acknowledged {

  private final int mostLogs;
  private final long mostBytes;
  private final int mostFrames;
  private final Map<String, Tail> tails = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;
  private boolean written;

  private static final class Tail {
    long last;
    long bytes;
    final Deque<byte[]> frames = new ArrayDeque<>();
  }

  record Last(String persistenceId, long sequenceNr, byte[] frame) {}

  record Frames(long from, List<byte[]> frames) {}

  /**
   * @param mostFrames of one log
   */
  Acknowledged(int mostLogs, long mostBytes, int mostFrames) {
    this.mostLogs = mostLogs;
    this.mostBytes = mostBytes;
    this.mostFrames = mostFrames;
  }

  /** Whether the store has acknowledged anything since this was asked the last time. */
  synchronized boolean takeWritten() {
    boolean was = written;
    written = false;
    return was;
  }

  synchronized void stored(AppendCall call) {
    written = true;
    Tail tail = tails.get(call.persistenceId());
    if (tail == null || call.from() != tail.last + 1) {
      forget(call.persistenceId());
      tail = new Tail();
      tails.put(call.persistenceId(), tail);
    }
    for (byte[] frame : call.frames()) {
      tail.frames.addLast(frame);
      tail.bytes += frame.length;
      bytes += frame.length;
    }
    tail.last = call.to();
    while (tail.frames.size() > Math.max(1, mostFrames)) {
      drop(tail);
    }
    shrink(tail);
  }

  private void shrink(Tail newest) {
    for (Iterator<Tail> each = tails.values().iterator();
        (bytes > mostBytes || tails.size() > mostLogs) && tails.size() > 1; ) {
      bytes -= each.next().bytes;
      each.remove();
    }
    while (bytes > mostBytes && newest.frames.size() > 1) {
      drop(newest);
    }
  }

  private void drop(Tail tail) {
    int length = tail.frames.pollFirst().length;
    tail.bytes -= length;
    bytes -= length;
  }

  /** Another writer has gone on with the log, or it has been removed. */
  synchronized void forget(String persistenceId) {
    Tail tail = tails.remove(persistenceId);
    if (tail != null) {
      bytes -= tail.bytes;
    }
  }

  synchronized List<Last> all() {
    List<Last> all = new ArrayList<>(tails.size());
    tails.forEach((id, tail) -> all.add(new Last(id, tail.last, tail.frames.peekLast())));
    return all;
  }

  /** The events of a log behind a number, if all of them are remembered and there is one. */
  synchronized Optional<Frames> behind(String persistenceId, long sequenceNr) {
    Tail tail = tails.get(persistenceId);
    if (tail == null || tail.last <= sequenceNr) {
      return Optional.empty();
    }
    long first = tail.last - tail.frames.size() + 1;
    return first > sequenceNr + 1
        ? Optional.empty()
        : Optional.of(
            new Frames(sequenceNr + 1, tail.frames.stream().skip(sequenceNr + 1 - first).toList()));
  }

  synchronized int size() {
    return tails.size();
  }

  /**
   * What the agents of a node have done to the blackboard lately: results published, ends
   * announced, suspensions entered. A store that goes back to an older state may have lost them
   * although it keeps the journal that says that they were done, so they are done once more then.
   * Each of them may be repeated. Thread-safe.
   */
  static final class RecentWrites {

    private static final Logger LOG = LoggerFactory.getLogger(RecentWrites.class);

    /** How much before the time that is told of a write may have been lost. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    private final InstantSource clock;
    private final int most;
    private final Duration longest;
    private final Deque<Done> done = new ArrayDeque<>();

    private record Done(Instant at, String what, Supplier<? extends CompletionStage<?>> again) {}

    /**
     * @param most of them are kept, the newest
     * @param longest for how long
     */
    RecentWrites(InstantSource clock, int most, Duration longest) {
      this.clock = clock;
      this.most = most;
      this.longest = longest;
    }

    /**
     * Keeps something that was done.
     *
     * @param again does it once more
     */
    synchronized void add(String what, Supplier<? extends CompletionStage<?>> again) {
      Instant now = clock.instant();
      Instant oldest = now.minus(longest);
      while (!done.isEmpty() && (done.size() >= most || done.getFirst().at().isBefore(oldest))) {
        done.removeFirst();
      }
      done.addLast(new Done(now, what, again));
    }

    /** Does again what was done since then. Returns at once; failures are logged. */
    void repeatSince(Instant since) {
      List<Done> lost;
      synchronized (this) {
        lost = done.stream().filter(one -> !one.at().isBefore(since.minus(MARGIN))).toList();
      }
      if (lost.isEmpty()) {
        return;
      }
      LOG.warn("{} writes to the blackboard since {} are made again", lost.size(), since);
      lost.forEach(one ->
          one.again()
              .get()
              .whenComplete((again, failure) -> {
                if (failure != null) {
                  LOG.error("{} again, after the store has gone back, failed", one.what(), failure);
                }
              }));
    }
  }
}
