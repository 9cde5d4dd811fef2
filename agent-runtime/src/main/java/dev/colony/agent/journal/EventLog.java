package dev.colony.agent.journal;

import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The logs of all persistence ids, in Redis. Knows frames and sequence numbers, not what the events
 * mean. Thread-safe; every operation is one script, so it holds wholly or not at all.
 */
final class EventLog {

  private static final RedisScript READ =
      RedisScript.resource(EventLog.class, "read.lua", ScriptOutputType.MULTI);
  static final RedisScript DELETE =
      RedisScript.resource(EventLog.class, "delete.lua", ScriptOutputType.INTEGER);

  static final RedisScript REMOVE =
      RedisScript.resource(EventLog.class, "remove.lua", ScriptOutputType.INTEGER);

  private final RedisConnections redis;
  private final JournalKeys keys;
  private final AppendPipeline appends;
  private final RedisRetry retry;
  private final Glimpses glimpses;
  private volatile JournalListener listener = JournalListener.NONE;
  private final Map<String, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();

  /**
   * @param glimpses those of the snapshots of the same logs
   */
  EventLog(
      RedisConnections redis,
      JournalKeys keys,
      AppendPipeline appends,
      RedisRetry retry,
      Glimpses glimpses) {
    this.redis = redis;
    this.keys = keys;
    this.appends = appends;
    this.retry = retry;
    this.glimpses = glimpses;
  }

  /**
   * Appends frames, all or none. The stage completes once Redis has acknowledged them under its
   * fsync mode. An exact repeat of what is stored succeeds.
   *
   * @return fails with {@link FencedException} unless {@code from} is where the log goes on, and
   *     with a retryable {@link JournalException} if it is unknown whether they were stored
   */
  CompletionStage<Void> append(
      String persistenceId,
      long from,
      String writer,
      Optional<AppendCall.IndexChange> index,
      List<byte[]> frames) {
    AppendCall call =
        new AppendCall(keys, keys.slot(persistenceId), persistenceId, from, writer, index, frames);
    CompletableFuture<Void> done = new CompletableFuture<>();
    underWay.put(persistenceId, done);
    glimpses.forget(persistenceId);
    long began = System.nanoTime();
    appends
        .append(call)
        .whenComplete((last, failure) -> {
          glimpses.forget(persistenceId);
          underWay.remove(persistenceId, done);
          listener.appended(
              Duration.ofNanos(System.nanoTime() - began), outcome(call, last, failure));
          if (failure != null) {
            done.completeExceptionally(RedisRetry.failed("append to", persistenceId, failure));
          } else if (last != call.to()) {
            refuse(call, done);
          } else {
            done.complete(null);
          }
        });
    return done;
  }

  private static JournalListener.Outcome outcome(AppendCall call, Long last, Throwable failure) {
    if (failure != null) {
      return JournalListener.Outcome.FAILED;
    }
    return last == call.to() ? JournalListener.Outcome.STORED : JournalListener.Outcome.FENCED;
  }

  /** Tells this one from now on, and none before it. */
  void listen(JournalListener told) {
    listener = told;
  }

  /**
   * The highest sequence number ever stored, 0 for none. Waits for an append under way from here.
   *
   * @param known one the caller knows to have been there, from a snapshot
   * @return fails with {@link DamagedLogException} if the log ends before it or contradicts itself
   */
  CompletionStage<Long> highest(String persistenceId, long known) {
    CompletionStage<Void> settled =
        underWay
            .getOrDefault(persistenceId, CompletableFuture.completedFuture(null))
            .handle((done, failed) -> null);
    return settled
        .thenCompose(ready ->
            glimpses
                .take(persistenceId)
                .<CompletionStage<LogView>>map(CompletableFuture::completedStage)
                .orElseGet(() -> read(persistenceId, 0, 0, 0)))
        .thenApply(view -> {
          view.verified(persistenceId);
          if (view.last() < known) {
            throw new DamagedLogException(
                persistenceId,
                "a snapshot holds sequence number %d, the log ends at %d"
                    .formatted(known, view.last()));
          }
          return view.last();
        });
  }

  /** How far the log reaches; fails with {@link DamagedLogException} if it contradicts itself. */
  CompletionStage<JournalReader.Reach> reach(String persistenceId) {
    return read(persistenceId, 0, 0, 0)
        .thenApply(view -> view.verified(persistenceId))
        .thenApply(view -> new JournalReader.Reach(view.deleted() + 1, view.last()));
  }

  /**
   * Hands over events in order, in batches of {@code batch} entries.
   *
   * @param handler where batches are decoded and handed over
   * @return fails with {@link DamagedLogException} over a hole
   */
  CompletionStage<Void> replay(
      ReplayCursor cursor, int batch, Executor handler, Consumer<ReplayCursor.Replayed> events) {
    if (cursor.isDone()) {
      return CompletableFuture.completedStage(null);
    }
    return read(cursor.persistenceId(), cursor.next(), cursor.to(), batch)
        .thenApplyAsync(
            view -> {
              ReplayCursor.Step step = cursor.advance(view, batch);
              step.events().forEach(events);
              return step.cursor();
            },
            handler)
        .thenCompose(next -> replay(next, batch, handler, events));
  }

  /** Deletes up to and including {@code to}; the highest sequence number stays known. */
  CompletionStage<Void> delete(String persistenceId, long to) {
    return this.<Long>run(DELETE, persistenceId, "delete from", Long.toString(to))
        .thenApply(deleted -> null);
  }

  /** Removes events, snapshots and all else; false, and nothing goes, where work is outstanding. */
  CompletionStage<Boolean> remove(String persistenceId) {
    int slot = keys.slot(persistenceId);
    String[] touched = {
      keys.events(slot, persistenceId),
      keys.meta(slot, persistenceId),
      keys.snapshotIndex(persistenceId),
      keys.snapshots(persistenceId),
      keys.outstanding(slot)
    };
    glimpses.forget(persistenceId);
    return this.<Long>run(REMOVE, persistenceId, "removal of", touched, persistenceId)
        .thenApply(removed -> removed == 1);
  }

  private CompletionStage<LogView> read(String persistenceId, long from, long to, int count) {
    return this.<List<?>>run(
            READ,
            persistenceId,
            "read of",
            Long.toString(from),
            Long.toString(to),
            Integer.toString(count))
        .thenApply(LogView::of);
  }

  private <T> CompletionStage<T> run(
      RedisScript script, String persistenceId, String operation, String... arguments) {
    int slot = keys.slot(persistenceId);
    String[] touched = {keys.events(slot, persistenceId), keys.meta(slot, persistenceId)};
    return run(script, persistenceId, operation, touched, arguments);
  }

  private <T> CompletionStage<T> run(
      RedisScript script,
      String persistenceId,
      String operation,
      String[] touched,
      String... arguments) {
    byte[][] encoded = new byte[arguments.length][];
    for (int i = 0; i < arguments.length; i++) {
      encoded[i] = arguments[i].getBytes(StandardCharsets.UTF_8);
    }
    return retry
        .<T>whileItHelps(() -> script.run(redis.commands(), touched, encoded))
        .exceptionallyCompose(failure ->
            CompletableFuture.failedStage(RedisRetry.failed(operation, persistenceId, failure)));
  }

  /** Tells the refused writer who it lost to. */
  private void refuse(AppendCall call, CompletableFuture<Void> done) {
    read(call.persistenceId(), 0, 0, 0)
        .whenComplete((view, failure) ->
            done.completeExceptionally(
                failure != null
                    ? failure
                    : new FencedException(
                        call.persistenceId(),
                        view.last() + 1,
                        call.from(),
                        call.writer(),
                        view.lastWriter())));
  }
}
