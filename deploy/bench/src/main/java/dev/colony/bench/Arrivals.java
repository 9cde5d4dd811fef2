package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When each of a number of messages was sent and whether it has arrived, and how long that took.
 * Thread-safe. Takes 12 bytes a message.
 */
final class Arrivals {

  private final AtomicLongArray sentNanos;
  private final AtomicIntegerArray arrivals;
  private final AtomicInteger arrived = new AtomicInteger();
  private final Latencies latencies = new Latencies();
  private volatile int awaited;
  private volatile CompletableFuture<Void> enough = new CompletableFuture<>();

  Arrivals(int messages) {
    sentNanos = new AtomicLongArray(messages);
    arrivals = new AtomicIntegerArray(messages);
  }

  /**
   * To be called before it is sent.
   *
   * @param nanos the instant from which its latency counts, as {@link System#nanoTime}
   */
  void sent(int message, long nanos) {
    sentNanos.set(message, nanos);
  }

  void arrived(int message) {
    long took = System.nanoTime() - sentNanos.get(message);
    if (arrivals.getAndIncrement(message) == 0) {
      latencies.add(took);
      if (arrived.incrementAndGet() == awaited) {
        enough.complete(null);
      }
    }
  }

  /**
   * Waits until so many have arrived, those that came twice counted once; false if they have not in
   * this time. One thread waits at a time.
   */
  boolean await(int messages, Duration patience) {
    enough = new CompletableFuture<>();
    awaited = messages;
    if (arrived.get() >= messages) {
      return true;
    }
    try {
      enough.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException late) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException failure) {
      throw new IllegalStateException(failure);
    }
  }

  int lost() {
    return arrivals.length() - arrived.get();
  }

  /** How often one came that had come before. */
  long doubled() {
    long doubled = 0;
    for (int i = 0; i < arrivals.length(); i++) {
      doubled += Math.max(0, arrivals.get(i) - 1);
    }
    return doubled;
  }

  Latencies latency() {
    return latencies;
  }

  /**
   * What became of acknowledged writes.
   *
   * @param written how many there were
   * @param versions the sum of the entries' versions, one for each write if none was lost
   * @param eventsLost events that did not arrive
   * @param eventsDoubled events that arrived again
   */
  record Tally(long written, long entries, long versions, long eventsLost, long eventsDoubled) {

    Tally plus(Tally other) {
      return new Tally(
          written + other.written,
          entries + other.entries,
          versions + other.versions,
          eventsLost + other.eventsLost,
          eventsDoubled + other.eventsDoubled);
    }

    boolean whole() {
      return versions == written && eventsLost == 0 && eventsDoubled == 0;
    }

    long received() {
      return written - eventsLost + eventsDoubled;
    }

    void addTo(ObjectNode json) {
      json.put("written", written)
          .put("received", received())
          .put("entries", entries)
          .put("versions", versions)
          .put("eventsLost", eventsLost)
          .put("eventsDoubled", eventsDoubled);
    }
  }
}
