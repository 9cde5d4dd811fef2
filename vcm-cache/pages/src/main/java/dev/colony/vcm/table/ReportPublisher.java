package dev.colony.vcm.table;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the newest report under one key. Reports are whole, so only the last one counts: one
 * waits and one is being written, however many are made. Each write looks at what it replaces, so
 * that an older incarnation that is still running does not overwrite a newer one. It is a
 * transaction: an entry's version begins again when the entry was deleted, and to expect it would
 * take a newer incarnation's entry for the own.
 */
final class ReportPublisher {

  private static final Logger LOG = LoggerFactory.getLogger(ReportPublisher.class);

  private final Blackboard board;
  private final String key;
  private final Duration debounce;
  private final Optional<Duration> ttl;
  private final TableSettings settings;
  private final ScheduledExecutorService timer;
  private Optional<NodeReport> newest = Optional.empty();
  private Optional<NodeReport> waiting = Optional.empty();

  /** Taken back here since the newest report was made. */
  private boolean cancelled;

  /** Deleted since it was last stored from here, by whichever node. */
  private boolean deleted;

  private boolean scheduled;
  private CompletionStage<Void> writing = CompletableFuture.completedStage(null);

  /**
   * @param ttl after which the entry goes unless it is published again; empty for never
   */
  ReportPublisher(
      Blackboard board,
      String key,
      Duration debounce,
      Optional<Duration> ttl,
      TableSettings settings,
      ScheduledExecutorService timer) {
    this.board = board;
    this.key = key;
    this.debounce = debounce;
    this.ttl = ttl;
    this.settings = settings;
    this.timer = timer;
  }

  /** Ignores a report that is no newer than one made here before. */
  synchronized void publish(NodeReport report) {
    if (newest.isPresent() && !report.newerThan(newest.get())) {
      return;
    }
    newest = Optional.of(report);
    cancelled = false;
    waiting = newest;
    schedule(debounce);
  }

  /** Forgets what waits; done when nothing is being written any more. */
  synchronized CompletionStage<Void> cancel() {
    cancelled = true;
    waiting = Optional.empty();
    return writing;
  }

  /** The entry was deleted: it is no loss that it is not there. What waits is stored still. */
  synchronized void deleted() {
    deleted = true;
  }

  /** Whether an entry is to be there that this publisher has made. */
  synchronized boolean stands() {
    return newest.isPresent() && !cancelled && !deleted && !scheduled;
  }

  /**
   * Publishes the newest report again where that is due.
   *
   * @param stored whether an entry was found under the key
   * @return whether the entry was lost: it was not deleted, and is not there
   */
  synchronized boolean confirm(boolean stored) {
    if (!stands()) {
      return false;
    }
    if (!stored || ttl.isPresent()) {
      waiting = newest;
      schedule(debounce);
    }
    return !stored;
  }

  private synchronized void schedule(Duration delay) {
    if (scheduled || waiting.isEmpty()) {
      return;
    }
    try {
      timer.schedule(this::flush, delay.toMillis(), TimeUnit.MILLISECONDS);
      scheduled = true;
    } catch (RejectedExecutionException closed) {
      waiting = Optional.empty();
    }
  }

  /** Runs on the timer; {@code scheduled} stays set until the write is through. */
  private synchronized void flush() {
    if (waiting.isEmpty()) {
      scheduled = false;
      return;
    }
    NodeReport report = waiting.get();
    waiting = Optional.empty();
    writing =
        CompletableFuture.<Void>completedStage(null)
            .thenCompose(nothing -> write(report))
            .handle((written, failure) -> {
              flushed(report, failure);
              return null;
            });
  }

  private synchronized void flushed(NodeReport report, Throwable failure) {
    scheduled = false;
    if (failure == null) {
      deleted = false;
      schedule(debounce);
      return;
    }
    LOG.warn("{} is not published yet: {}", key, failure.toString());
    if (waiting.isEmpty() && !cancelled) {
      waiting = Optional.of(report);
    }
    schedule(settings.retryDelay());
  }

  private CompletionStage<Void> write(NodeReport report) {
    Write plain = Write.of(key, TableEntries.write(report));
    Write write = ttl.map(plain::ttl).orElse(plain);
    return board.transaction(tx ->
        tx.read(key)
            .thenCompose(found -> {
              if (found.isPresent() && superseded(report, found.get())) {
                LOG.info("an outdated report of {} is dropped", key);
                return CompletableFuture.completedStage(null);
              }
              return tx.write(write);
            }));
  }

  private boolean superseded(NodeReport report, Entry entry) {
    try {
      NodeReport stored = TableEntries.report(key, entry.value());
      return stored.newerThan(report);
    } catch (IllegalArgumentException unreadable) {
      LOG.warn("an entry of {} that cannot be read is replaced: {}", key, unreadable.getMessage());
      return false;
    }
  }
}
