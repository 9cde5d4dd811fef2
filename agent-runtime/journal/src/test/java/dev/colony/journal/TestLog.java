package dev.colony.journal;

import dev.colony.blackboard.payload.PayloadSweep;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.journal.LogView.Glimpses;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/** An {@link EventLog} on a given Redis, without actors, spoken to in text and in turn. */
final class TestLog implements AutoCloseable {

  static final int BATCH = 3;

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  final JournalKeys keys = new JournalKeys(64);
  final EventLog log;
  final StoreWatch watch;
  final SnapshotArchive snapshots;
  final JournalPayloads payloads;

  private final IntFunction<PayloadSweep> sweeps;

  private final RedisConnections redis;
  private final AppendPipeline appends;

  TestLog(String redisUri) {
    this(redisUri, PayloadVault.none());
  }

  TestLog(String redisUri, PayloadVault vault) {
    this.payloads = new JournalPayloads(vault);
    RedisRetry retry = new RedisRetry(TIMEOUT, Duration.ofMillis(20));
    this.redis = new RedisConnections(redisUri, TIMEOUT);
    this.appends = new AppendPipeline(redis, 2, retry);
    Glimpses glimpses = new Glimpses();
    this.watch =
        new StoreWatch(
            redis,
            keys,
            new StoreWatch.Bounds(
                Duration.ofMillis(20),
                Duration.ofMillis(100),
                1_000,
                1_000_000,
                8,
                100,
                Duration.ofMinutes(1)),
            TIMEOUT);
    this.log = new EventLog(redis, keys, appends, retry, glimpses, watch, payloads);
    this.snapshots =
        new SnapshotArchive(
            redis,
            keys,
            retry,
            new JournalSettings.Retention(2, true, Duration.ofDays(30)),
            glimpses,
            payloads);
    this.sweeps =
        page ->
            new PayloadSweep(
                vault,
                JournalPayloads.AREA,
                (owner, items) -> JournalPayloads.references(redis, keys, retry, owner, items),
                page);
  }

  PayloadSweep sweep(int page) {
    return sweeps.apply(page);
  }

  RedisClusterAsyncCommands<String, byte[]> redis() {
    return redis.commands();
  }

  void append(String persistenceId, long from, String writer, String... events) {
    append(persistenceId, from, writer, Optional.empty(), events);
  }

  void append(
      String persistenceId,
      long from,
      String writer,
      Optional<AppendCall.IndexChange> index,
      String... events) {
    await(
        log.append(
            persistenceId,
            from,
            writer,
            index,
            Arrays.stream(events).map(event -> event(writer, event)).toList()));
  }

  void appendGap(String persistenceId, long from, String writer) {
    byte[] gap = new EventFrame.Gap(writer, 0, "refused").encode();
    await(log.append(persistenceId, from, writer, Optional.empty(), List.of(gap)));
  }

  void snapshot(String persistenceId, long sequenceNr) {
    byte[] frame = event("w", "snapshot");
    await(snapshots.save(persistenceId, new SnapshotArchive.Stored(sequenceNr, 0, frame)));
  }

  /** The number of the newest one. */
  OptionalLong snapshot(String persistenceId) {
    return await(
            snapshots.load(
                persistenceId, new SnapshotArchive.Bounds(0, Long.MAX_VALUE, 0, Long.MAX_VALUE)))
        .map(stored -> OptionalLong.of(stored.sequenceNr()))
        .orElseGet(OptionalLong::empty);
  }

  /** All that a recovery sees, as {@code sequenceNr=event}. */
  List<String> replay(String persistenceId) {
    long to = highest(persistenceId);
    List<String> seen = new ArrayList<>();
    await(
        log.replay(
            new ReplayCursor(persistenceId, 1, to, Long.MAX_VALUE),
            BATCH,
            Runnable::run,
            event ->
                seen.add(
                    event.sequenceNr()
                        + "="
                        + new String(event.event().payload(), StandardCharsets.UTF_8))));
    return seen;
  }

  long highest(String persistenceId) {
    return await(log.highest(persistenceId, 0));
  }

  String events(String persistenceId) {
    return keys.events(keys.slot(persistenceId), persistenceId);
  }

  String meta(String persistenceId) {
    return keys.meta(keys.slot(persistenceId), persistenceId);
  }

  /** The result, or the failure itself. */
  static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException failure) {
      throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
    }
  }

  static byte[] event(String writer, String text) {
    return new EventFrame.Event(writer, 0, 1, "", "", text.getBytes(StandardCharsets.UTF_8))
        .encode();
  }

  @Override
  public void close() {
    watch.close();
    appends.close();
    redis.close();
  }
}
