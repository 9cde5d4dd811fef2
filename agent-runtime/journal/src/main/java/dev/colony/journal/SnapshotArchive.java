package dev.colony.journal;

import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.journal.JournalPayloads.Kind;
import dev.colony.journal.LogView.Glimpses;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The snapshots of all persistence ids, in Redis, as frames. Thread-safe. */
public final class SnapshotArchive {

  static final RedisScript SAVE = script("snapshot-save.lua", ScriptOutputType.INTEGER);
  private static final RedisScript LOAD = script("snapshot-load.lua", ScriptOutputType.MULTI);
  static final RedisScript DELETE = script("snapshot-delete.lua", ScriptOutputType.INTEGER);

  private final RedisConnections redis;
  private final JournalKeys keys;
  private final RedisRetry retry;
  private final JournalSettings.Retention retention;
  private final Glimpses glimpses;
  private final JournalPayloads payloads;

  public record Stored(long sequenceNr, long timestampMillis, byte[] frame) {}

  /** Which snapshots are meant; both ends belong to it. */
  public record Bounds(
      long minSequenceNr, long maxSequenceNr, long minTimestamp, long maxTimestamp) {}

  /**
   * @param glimpses of the logs that the snapshots are of
   */
  SnapshotArchive(
      RedisConnections redis,
      JournalKeys keys,
      RedisRetry retry,
      JournalSettings.Retention retention,
      Glimpses glimpses,
      JournalPayloads payloads) {
    this.redis = redis;
    this.keys = keys;
    this.retry = retry;
    this.retention = retention;
    this.glimpses = glimpses;
    this.payloads = payloads;
  }

  /**
   * Stores a snapshot, in the place of an older one with the same sequence number, and lets go of
   * what is not to be kept beside it.
   */
  public CompletionStage<Void> save(String persistenceId, Stored snapshot) {
    List<byte[]> frames = List.of(snapshot.frame());
    return payloads.takes(frames)
        ? payloads
            .put(Kind.SNAPSHOT, persistenceId, snapshot.sequenceNr(), frames)
            .thenCompose(stubs -> store(persistenceId, snapshot, stubs.getFirst()))
        : store(persistenceId, snapshot, snapshot.frame());
  }

  private CompletionStage<Void> store(String persistenceId, Stored snapshot, byte[] frame) {
    return this.<Long>run(
            SAVE,
            persistenceId,
            withLog(persistenceId),
            text(snapshot.sequenceNr()),
            text(snapshot.timestampMillis()),
            frame,
            text(retention.snapshots()),
            text(retention.allEvents() ? retention.age().toMillis() : 0))
        .thenApply(done -> null);
  }

  public CompletionStage<Optional<Stored>> load(String persistenceId, Bounds bounds) {
    Glimpses.Glimpse glimpse = glimpses.begin(persistenceId);
    return this.<List<?>>run(LOAD, persistenceId, withLog(persistenceId), encoded(bounds))
        .thenCompose(reply -> {
          glimpse.show(LogView.of(reply));
          List<?> found = (List<?>) reply.get(LogView.PARTS);
          return found.isEmpty()
              ? CompletableFuture.completedStage(Optional.empty())
              : fetched(
                  persistenceId, number(found.get(0)), number(found.get(1)), (byte[]) found.get(2));
        });
  }

  private CompletionStage<Optional<Stored>> fetched(
      String persistenceId, long sequenceNr, long timestampMillis, byte[] frame) {
    return payloads
        .fetched(Kind.SNAPSHOT, persistenceId, sequenceNr, frame)
        .thenApply(whole -> Optional.of(new Stored(sequenceNr, timestampMillis, whole)));
  }

  public CompletionStage<Void> delete(String persistenceId, Bounds bounds) {
    return this.<Long>run(DELETE, persistenceId, touched(persistenceId), encoded(bounds))
        .thenApply(done -> null);
  }

  private String[] withLog(String persistenceId) {
    int slot = keys.slot(persistenceId);
    return new String[] {
      keys.snapshotIndex(persistenceId),
      keys.snapshots(persistenceId),
      keys.events(slot, persistenceId),
      keys.meta(slot, persistenceId)
    };
  }

  private String[] touched(String persistenceId) {
    return new String[] {keys.snapshotIndex(persistenceId), keys.snapshots(persistenceId)};
  }

  private <T> CompletionStage<T> run(
      RedisScript script, String persistenceId, String[] touched, byte[]... arguments) {
    return retry
        .<T>whileItHelps(() -> script.run(redis.commands(), touched, arguments))
        .exceptionallyCompose(failure ->
            CompletableFuture.failedStage(
                RedisRetry.failed("snapshots of", persistenceId, failure)));
  }

  private static byte[][] encoded(Bounds bounds) {
    return new byte[][] {
      text(bounds.minSequenceNr()),
      text(bounds.maxSequenceNr()),
      text(bounds.minTimestamp()),
      text(bounds.maxTimestamp())
    };
  }

  private static byte[] text(long number) {
    return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
  }

  private static long number(Object bulk) {
    return Long.parseLong(new String((byte[]) bulk, StandardCharsets.US_ASCII));
  }

  private static RedisScript script(String name, ScriptOutputType output) {
    return RedisScript.resource(SnapshotArchive.class, name, output);
  }
}
