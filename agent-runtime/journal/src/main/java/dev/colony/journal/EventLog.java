package dev.colony.journal;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.journal.Journal.JournalListener;
import dev.colony.journal.JournalException.DamagedLogException;
import dev.colony.journal.JournalException.FencedException;
import dev.colony.journal.JournalException.LostEventsException;
import dev.colony.journal.JournalPayloads.Kind;
import dev.colony.journal.LogView.Glimpses;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
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
public final class EventLog {

  private static final RedisScript READ =
      RedisScript.resource(EventLog.class, "read.lua", ScriptOutputType.MULTI);
  static final RedisScript DELETE =
      RedisScript.resource(EventLog.class, "delete.lua", ScriptOutputType.INTEGER);

  static final RedisScript REMOVE =
      RedisScript.resource(EventLog.class, "remove.lua", ScriptOutputType.INTEGER);

  /**
   * How many entries one read of a recovery fetches at most: this many times their size in memory
   * for each recovery under way.
   */
  public static final int REPLAY_BATCH = 128;

  /** How long a removed log tells writers that are still there that it was removed. */
  private static final Duration REMEMBERED = Duration.ofDays(1);

  private final RedisConnections redis;
  private final JournalKeys keys;
  private final AppendPipeline appends;
  private final RedisRetry retry;
  private final Glimpses glimpses;
  private final StoreWatch watch;
  private final JournalPayloads payloads;
  private volatile JournalListener listener = JournalListener.NONE;
  private final Map<String, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();

  /**
   * @param glimpses those of the snapshots of the same logs
   * @param watch is told what was acknowledged, and asked before a log is recovered
   */
  EventLog(
      RedisConnections redis,
      JournalKeys keys,
      AppendPipeline appends,
      RedisRetry retry,
      Glimpses glimpses,
      StoreWatch watch,
      JournalPayloads payloads) {
    this.redis = redis;
    this.keys = keys;
    this.appends = appends;
    this.retry = retry;
    this.glimpses = glimpses;
    this.watch = watch;
    this.payloads = payloads;
  }

  /**
   * Appends frames, all or none. The stage completes once Redis has acknowledged them under its
   * fsync mode, and replicas have them if the settings ask for that. An exact repeat of what is
   * stored succeeds.
   *
   * @return fails with {@link FencedException} unless {@code from} is where the log goes on, with
   *     {@link LostEventsException} where the store has lost events of the log, and with a
   *     retryable {@link JournalException} if it is unknown whether they were stored
   */
  public CompletionStage<Void> append(
      String persistenceId,
      long from,
      String writer,
      Optional<AppendCall.IndexChange> index,
      List<byte[]> frames) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    CompletableFuture<Void> before = underWay.put(persistenceId, done);
    boolean large = payloads.takes(frames);
    if (!large && (before == null || before.isDone())) {
      send(call(persistenceId, from, writer, index, frames), done);
      return done;
    }
    // In the order in which they were asked for, however long the payloads take.
    (before == null ? CompletableFuture.completedFuture(null) : before)
        .handle((ended, failed) -> null)
        .thenCompose(ready ->
            large
                ? payloads.put(Kind.EVENT, persistenceId, from, frames)
                : CompletableFuture.completedStage(frames))
        .whenComplete((stubs, failure) -> {
          if (failure == null) {
            send(call(persistenceId, from, writer, index, stubs), done);
          } else {
            underWay.remove(persistenceId, done);
            done.completeExceptionally(RedisRetry.failed("append to", persistenceId, failure));
          }
        });
    return done;
  }

  private AppendCall call(
      String persistenceId,
      long from,
      String writer,
      Optional<AppendCall.IndexChange> index,
      List<byte[]> frames) {
    return new AppendCall(
        keys, keys.slot(persistenceId), persistenceId, from, writer, index, frames);
  }

  private void send(AppendCall call, CompletableFuture<Void> done) {
    String persistenceId = call.persistenceId();
    glimpses.forget(persistenceId);
    Stopwatch asked = Stopwatch.start();
    redis
        .replicated(keys.meta(call.slot(), persistenceId), () -> appends.append(call))
        .whenComplete((last, failure) -> {
          glimpses.forget(persistenceId);
          underWay.remove(persistenceId, done);
          listener.appended(asked.elapsed(), outcome(call, last, failure));
          if (failure != null) {
            done.completeExceptionally(RedisRetry.failed("append to", persistenceId, failure));
          } else if (last != call.to()) {
            refuse(call, done);
          } else {
            watch.acknowledged().stored(call);
            done.complete(null);
          }
        });
  }

  private static JournalListener.Outcome outcome(AppendCall call, Long last, Throwable failure) {
    if (failure != null) {
      return JournalListener.Outcome.FAILED;
    }
    if (last == call.to()) {
      return JournalListener.Outcome.STORED;
    }
    return last == 0 ? JournalListener.Outcome.LOST : JournalListener.Outcome.FENCED;
  }

  /** Tells this one from now on, and none before it. */
  void listen(JournalListener told) {
    listener = told;
  }

  /**
   * The highest sequence number ever stored, 0 for none. Waits for an append under way from here.
   *
   * @param known one the caller knows to have been there, from a snapshot
   * @return fails with {@link DamagedLogException} if the log ends before it or contradicts itself,
   *     with {@link LostEventsException} if the store has lost events of it
   */
  public CompletionStage<Long> highest(String persistenceId, long known) {
    CompletionStage<Void> settled =
        underWay
            .getOrDefault(persistenceId, CompletableFuture.completedFuture(null))
            .handle((done, failed) -> null);
    return settled
        .thenCompose(ready -> watch.settled())
        .thenCompose(ready ->
            glimpses
                .take(persistenceId)
                .<CompletionStage<LogView>>map(CompletableFuture::completedStage)
                .orElseGet(() -> read(persistenceId, 0, 0, 0)))
        .thenApply(view -> {
          watch.decided(persistenceId, view.decision());
          if (view.lost() > 0) {
            watch.found(persistenceId, view.last(), view.lost());
            throw new LostEventsException(persistenceId, view.last(), view.lost());
          }
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

  /** What the log's meta hash and its newest entry say. */
  CompletionStage<LogView> look(String persistenceId) {
    return read(persistenceId, 0, 0, 0);
  }

  /** Lets a log that has lost events go on; false where it has lost none. */
  CompletionStage<Boolean> decide(String persistenceId, String decision) {
    glimpses.forget(persistenceId);
    return this.<Long>run(
            LostLogs.DECIDE,
            persistenceId,
            "decision about",
            withLost(persistenceId),
            persistenceId,
            decision)
        .thenApply(decided -> decided == 1);
  }

  /** Gives a log back what it has lost, if it is remembered here; false where it is not. */
  CompletionStage<Boolean> restore(String persistenceId) {
    return look(persistenceId)
        .thenCompose(view ->
            watch
                .acknowledged()
                .behind(persistenceId, view.last())
                .map(frames -> restore(persistenceId, frames))
                .orElseGet(() -> CompletableFuture.completedStage(view.lost() == 0)));
  }

  private CompletionStage<Boolean> restore(String persistenceId, Acknowledged.Frames frames) {
    int slot = keys.slot(persistenceId);
    String[] lost = withLost(persistenceId);
    String[] touched = {lost[0], lost[1], lost[2], keys.outstanding(slot)};
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(persistenceId.getBytes(StandardCharsets.UTF_8));
    arguments.add(Long.toString(frames.from()).getBytes(StandardCharsets.UTF_8));
    arguments.add("restored".getBytes(StandardCharsets.UTF_8));
    arguments.addAll(frames.frames());
    glimpses.forget(persistenceId);
    return retry
        .<Long>whileItHelps(
            () -> LostLogs.RESTORE.run(redis.commands(), touched, arguments.toArray(byte[][]::new)))
        .thenApply(restored -> restored != 2);
  }

  private String[] withLost(String persistenceId) {
    int slot = keys.slot(persistenceId);
    return new String[] {
      keys.events(slot, persistenceId), keys.meta(slot, persistenceId), keys.lost(slot)
    };
  }

  /** How far the log reaches; fails with {@link DamagedLogException} if it contradicts itself. */
  CompletionStage<JournalReader.Reach> reach(String persistenceId) {
    return read(persistenceId, 0, 0, 0)
        .thenApply(view -> view.verified(persistenceId))
        .thenApply(view ->
            new JournalReader.Reach(view.deleted() + 1, view.last(), view.lost(persistenceId)));
  }

  /**
   * Hands over events in order, in batches of {@code batch} entries.
   *
   * @param handler where batches are decoded and handed over
   * @return fails with {@link DamagedLogException} over a hole
   */
  public CompletionStage<Void> replay(
      ReplayCursor cursor, int batch, Executor handler, Consumer<ReplayCursor.Replayed> events) {
    if (cursor.isDone()) {
      return CompletableFuture.completedStage(null);
    }
    return read(cursor.persistenceId(), cursor.next(), cursor.to(), batch)
        .thenCompose(view -> payloads.fetched(cursor.persistenceId(), view))
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
  public CompletionStage<Void> delete(String persistenceId, long to) {
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
    watch.acknowledged().forget(persistenceId);
    return this.<Long>run(
            REMOVE,
            persistenceId,
            "removal of",
            touched,
            persistenceId,
            Long.toString(REMEMBERED.toMillis()))
        .thenCompose(removed ->
            removed == 1
                ? payloads.remove(persistenceId).thenApply(gone -> true)
                : CompletableFuture.completedStage(false));
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

  /** Tells the refused writer who it lost to, or what the store has lost. */
  private void refuse(AppendCall call, CompletableFuture<Void> done) {
    read(call.persistenceId(), 0, 0, 0)
        .whenComplete((view, failure) ->
            done.completeExceptionally(failure != null ? failure : refusal(call, view)));
  }

  private JournalException refusal(AppendCall call, LogView view) {
    if (view.lost() > 0) {
      watch.found(call.persistenceId(), view.last(), view.lost());
      return new LostEventsException(call.persistenceId(), view.last(), view.lost());
    }
    watch.acknowledged().forget(call.persistenceId());
    return new FencedException(
        call.persistenceId(), view.last() + 1, call.from(), call.writer(), view.lastWriter());
  }
}
