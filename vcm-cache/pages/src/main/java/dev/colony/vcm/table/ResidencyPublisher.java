package dev.colony.vcm.table;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.vcm.settings.TableSettings;
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
 * Publishes the newest report of one replica. Reports are full lists, so only the last one counts:
 * one waits and one is being written, however many are made. Each write looks at what it replaces,
 * so that an older incarnation that is still running does not overwrite a newer one. It is a
 * transaction: an entry's version begins again when the entry was deleted, and to expect it would
 * take a newer incarnation's entry for the own.
 */
final class ResidencyPublisher {

  private static final Logger LOG = LoggerFactory.getLogger(ResidencyPublisher.class);

  private final Blackboard board;
  private final ReplicaId replica;
  private final TableSettings settings;
  private final ScheduledExecutorService timer;
  private Optional<ReplicaResidency> newest = Optional.empty();
  private Optional<ReplicaResidency> waiting = Optional.empty();
  private boolean scheduled;
  private CompletionStage<Void> writing = CompletableFuture.completedStage(null);

  ResidencyPublisher(
      Blackboard board, ReplicaId replica, TableSettings settings, ScheduledExecutorService timer) {
    this.board = board;
    this.replica = replica;
    this.settings = settings;
    this.timer = timer;
  }

  /** Ignores a report that is no newer than one made here before. */
  synchronized void publish(ReplicaResidency residency) {
    if (newest.isPresent() && !residency.newerThan(newest.get())) {
      return;
    }
    newest = Optional.of(residency);
    waiting = newest;
    schedule(settings.debounce());
  }

  /** Forgets what waits; done when nothing is being written any more. */
  synchronized CompletionStage<Void> cancel() {
    waiting = Optional.empty();
    return writing;
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
    ReplicaResidency residency = waiting.get();
    waiting = Optional.empty();
    writing =
        CompletableFuture.<Void>completedStage(null)
            .thenCompose(nothing -> write(residency))
            .handle((written, failure) -> {
              flushed(residency, failure);
              return null;
            });
  }

  private synchronized void flushed(ReplicaResidency residency, Throwable failure) {
    scheduled = false;
    if (failure == null) {
      schedule(settings.debounce());
      return;
    }
    LOG.warn("residency of {} is not published yet: {}", replica, failure.toString());
    if (waiting.isEmpty()) {
      waiting = Optional.of(residency);
    }
    schedule(settings.retryDelay());
  }

  private CompletionStage<Void> write(ReplicaResidency residency) {
    String key = TableKeys.of(replica);
    return board.transaction(tx ->
        tx.read(key)
            .thenCompose(found -> {
              if (found.isPresent() && superseded(residency, found.get())) {
                LOG.info("an outdated report of {} is dropped", replica);
                return CompletableFuture.completedStage(null);
              }
              return tx.write(Write.of(key, TableJson.write(residency)));
            }));
  }

  private boolean superseded(ReplicaResidency residency, Entry entry) {
    try {
      return !residency.newerThan(TableJson.residency(replica, entry.value()));
    } catch (IllegalArgumentException unreadable) {
      LOG.warn(
          "an entry of {} that cannot be read is replaced: {}", replica, unreadable.getMessage());
      return false;
    }
  }
}
