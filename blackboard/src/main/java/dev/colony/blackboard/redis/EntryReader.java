package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.ScriptOutputType;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads entries by their keys: those of one call are of one moment. */
record EntryReader(RedisConnections connections, ValueCodec codec, InstantSource clock) {

  static final RedisScript READ =
      RedisScript.resources(EntryReader.class, ScriptOutputType.MULTI, "frame.lua", "read.lua");
  private static final RedisScript FIND =
      RedisScript.resources(EntryReader.class, ScriptOutputType.MULTI, "frame.lua", "find.lua");

  /**
   * Some entries that fit a query.
   *
   * @param examined how many of the keys were looked at: all, or up to where a limit was reached
   * @param bytes what the entries take
   */
  record Found(List<Entry> entries, int examined, long bytes) {}

  CompletionStage<List<Optional<Entry>>> read(
      ScopeKeys keys, List<String> wanted, Optional<Eviction> touch) {
    if (wanted.isEmpty()) {
      return CompletableFuture.completedStage(List.of());
    }
    List<byte[]> arguments = new ArrayList<>(wanted.size() + 2);
    arguments.add(ascii(touch.map(EntryReader::use).orElse("")));
    wanted.forEach(key -> arguments.add(key.getBytes(UTF_8)));
    return run(READ, keys, arguments)
        .thenApply(frames ->
            frames.stream()
                .map(frame ->
                    Optional.ofNullable((byte[]) frame)
                        .map(bytes -> new Frame(keys.scope(), codec, bytes).entry()))
                .toList());
  }

  /**
   * The entries that fit a query, but for its keys, which the caller has compared.
   *
   * @param limit how many at most
   * @param maxBytes of how many bytes at most; the first has any size
   */
  CompletionStage<Found> find(
      ScopeKeys keys, List<String> candidates, Query query, int limit, long maxBytes) {
    List<byte[]> arguments = new ArrayList<>(candidates.size() + 9);
    arguments.add(ascii(Integer.toString(limit)));
    arguments.add(ascii(Long.toString(maxBytes)));
    arguments.add(ascii(Long.toString(query.updatedSince().map(EntryReader::millis).orElse(0L))));
    List.of(query.allTags(), query.anyTags(), query.noTags()).forEach(tags -> add(arguments, tags));
    candidates.forEach(key -> arguments.add(key.getBytes(UTF_8)));
    return run(FIND, keys, arguments)
        .thenApply(reply -> {
          List<byte[]> frames = reply.stream().skip(1).map(frame -> (byte[]) frame).toList();
          return new Found(
              frames.stream().map(frame -> new Frame(keys.scope(), codec, frame).entry()).toList(),
              ((Long) reply.getFirst()).intValue(),
              frames.stream().mapToLong(frame -> frame.length).sum());
        });
  }

  private static void add(List<byte[]> arguments, Collection<String> tags) {
    arguments.add(ascii(Integer.toString(tags.size())));
    tags.forEach(tag -> arguments.add(tag.getBytes(UTF_8)));
  }

  /** Entries have whole milliseconds: the first that is not before the instant. */
  private static long millis(Instant since) {
    return since.plusNanos(999_999).toEpochMilli();
  }

  private static String use(Eviction eviction) {
    return switch (eviction.order()) {
      case LEAST_RECENTLY_USED -> "R";
      case LEAST_FREQUENTLY_USED -> "F";
      case OLDEST -> "";
    };
  }

  private CompletionStage<List<Object>> run(
      RedisScript script, ScopeKeys keys, List<byte[]> arguments) {
    arguments.add(RedisTime.argument(clock.instant()));
    return RedisFailure.translate(
        script.run(
            connections.commands(), new String[] {keys.base()}, arguments.toArray(byte[][]::new)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
