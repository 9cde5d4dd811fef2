package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.Entry;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads entries: each one atomically, several of them pipelined. */
record RedisReader(RedisConnections connections, ValueCodec codec) {

  /** How many keys of the index, or entries, are asked for in one round trip. */
  private static final int PAGE = 256;

  CompletionStage<Optional<Entry>> read(ScopeKeys keys, String key) {
    return RedisFailure.reading(() ->
        connections.commands().hgetall(keys.entry(key)).thenApply(fields -> entry(key, fields)));
  }

  CompletionStage<List<Entry>> readAll(ScopeKeys keys, List<String> wanted) {
    List<CompletableFuture<Optional<Entry>>> reads =
        wanted.stream().map(key -> read(keys, key).toCompletableFuture()).toList();
    return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> reads.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList());
  }

  /** Walks the index in pages: a long walk costs many short commands and holds up nobody. */
  CompletionStage<List<Entry>> query(ScopeKeys keys, KeyGlob glob, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but is " + limit);
    }
    if (glob.literal()) {
      return readAll(keys, List.of(glob.pattern()));
    }
    Range.Boundary<byte[]> from = Range.Boundary.including(glob.prefix().getBytes(UTF_8));
    return queryFrom(keys, glob, limit, from, List.of());
  }

  private CompletionStage<List<Entry>> queryFrom(
      ScopeKeys keys, KeyGlob glob, int limit, Range.Boundary<byte[]> from, List<Entry> found) {
    Range<byte[]> range = Range.from(from, afterAll(glob.prefix()));
    return RedisFailure.<List<byte[]>>reading(
            () -> connections.commands().zrangebylex(keys.index(), range, Limit.from(PAGE)))
        .thenCompose(page -> {
          List<String> matching =
              page.stream().map(key -> new String(key, UTF_8)).filter(glob::matches).toList();
          return readAll(keys, matching)
              .thenCompose(entries -> {
                List<Entry> all = new ArrayList<>(found);
                all.addAll(entries);
                return all.size() >= limit || page.size() < PAGE
                    ? CompletableFuture.completedStage(
                        List.copyOf(all.subList(0, Math.min(limit, all.size()))))
                    : queryFrom(keys, glob, limit, Range.Boundary.excluding(page.getLast()), all);
              });
        });
  }

  /** No byte of UTF-8 is 0xFF, so this is after every key with the prefix. */
  private static Range.Boundary<byte[]> afterAll(String prefix) {
    byte[] bytes = prefix.getBytes(UTF_8);
    byte[] end = java.util.Arrays.copyOf(bytes, bytes.length + 1);
    end[bytes.length] = (byte) 0xFF;
    return Range.Boundary.excluding(end);
  }

  private Optional<Entry> entry(String key, Map<String, byte[]> fields) {
    if (fields.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Entry(
            key,
            codec.value(fields.get("v")),
            number(fields, "n"),
            dev.colony.blackboard.Position.BEGINNING,
            Instant.ofEpochMilli(number(fields, "c")),
            text(fields, "cb"),
            Instant.ofEpochMilli(number(fields, "u")),
            text(fields, "ub"),
            codec.tags(fields.get("t")),
            codec.metadata(fields.get("m")),
            fields.containsKey("x")
                ? Optional.of(Instant.ofEpochMilli(number(fields, "x")))
                : Optional.empty()));
  }

  private static long number(Map<String, byte[]> fields, String field) {
    return Long.parseLong(text(fields, field));
  }

  private static String text(Map<String, byte[]> fields, String field) {
    return new String(fields.get(field), UTF_8);
  }
}
