package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.redis.ScopeCalls.RedisTime;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads entries by their keys: those of one call are of one moment. */
record EntryReader(
    RedisConnections connections, ValueCodec codec, InstantSource clock, BoardPayloads payloads) {

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
        .thenCompose(replied -> {
          List<Frame> frames =
              replied.stream().filter(Objects::nonNull).map(found -> frame(keys, found)).toList();
          return payloads
              .fetched(frames, Long.MAX_VALUE)
              .thenApply(whole -> {
                Iterator<Frame> there = whole.iterator();
                return replied.stream()
                    .map(found -> Optional.ofNullable(found).map(any -> there.next().entry()))
                    .toList();
              });
        });
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
        .thenCompose(reply -> {
          List<Frame> frames = reply.stream().skip(1).map(found -> frame(keys, found)).toList();
          int examined = ((Long) reply.getFirst()).intValue();
          return payloads
              .fetched(frames, maxBytes)
              .thenApply(whole ->
                  new Found(
                      whole.stream().map(Frame::entry).toList(),
                      whole.size() == frames.size()
                          ? examined
                          : candidates.indexOf(whole.getLast().key().orElseThrow()) + 1,
                      whole.stream().mapToLong(Frame::bytes).sum()));
        });
  }

  private Frame frame(ScopeKeys keys, Object found) {
    return new Frame(keys.scope(), codec, (byte[]) found);
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

  /**
   * Finds a page of entries: goes through the keys of the smallest set that holds all that can
   * match, some at a time, so that a long way costs many short commands and holds up no other
   * client.
   */
  static final class KeyWalk {

    /** How many keys are asked for in one round trip. */
    private static final int STEP = 256;

    /** How many bytes the entries of a page may have, but for the last. */
    private static final long PAGE_BYTES = 32L << 20;

    /** Sorted sets of which together every matching entry is in one. */
    private record Source(List<String> sets, long keys) {}

    /**
     * Some keys in their order.
     *
     * @param end whether there are no more
     */
    private record Step(List<String> keys, boolean end) {}

    private final RedisConnections connections;
    private final EntryReader reader;
    private final ScopeKeys keys;
    private final Query query;
    private final List<Entry> found = new ArrayList<>();
    private long bytes;

    private KeyWalk(RedisConnections connections, EntryReader reader, ScopeKeys keys, Query query) {
      this.connections = connections;
      this.reader = reader;
      this.keys = keys;
      this.query = query;
    }

    static CompletionStage<EntryPage> query(
        RedisConnections connections, EntryReader reader, ScopeKeys keys, Query query) {
      KeyWalk walk = new KeyWalk(connections, reader, keys, query);
      Range<byte[]> range = walk.range(query.cursor().map(Query.Cursor::afterKey));
      if (query.keys().literal()) {
        boolean past =
            query
                .cursor()
                .filter(c -> EntryKey.ORDER.compare(query.keys().pattern(), c.afterKey()) <= 0)
                .isPresent();
        return walk.take(
            List.of(), new Step(past ? List.of() : List.of(query.keys().pattern()), true));
      }
      return walk.smallest(range).thenCompose(source -> walk.from(source.sets(), range));
    }

    /** With tags that must be there, their sets compete with that of all keys. */
    private CompletionStage<Source> smallest(Range<byte[]> range) {
      List<List<String>> choices = new ArrayList<>();
      choices.add(List.of(keys.index()));
      query.allTags().forEach(tag -> choices.add(List.of(keys.tag(tag))));
      if (!query.anyTags().isEmpty()) {
        choices.add(query.anyTags().stream().map(keys::tag).toList());
      }
      if (choices.size() == 1) {
        return CompletableFuture.completedStage(new Source(choices.getFirst(), 0));
      }
      CompletionStage<Source> smallest = null;
      for (List<String> sets : choices) {
        CompletionStage<Source> source = sized(sets, range);
        smallest =
            smallest == null
                ? source
                : smallest.thenCombine(
                    source, (one, other) -> other.keys() < one.keys() ? other : one);
      }
      return smallest;
    }

    private CompletionStage<Source> sized(List<String> sets, Range<byte[]> range) {
      CompletionStage<Long> sum = CompletableFuture.completedStage(0L);
      for (String set : sets) {
        sum =
            sum.thenCombine(
                RedisFailure.reading(() -> connections.commands().zlexcount(set, range)),
                Long::sum);
      }
      return sum.thenApply(total -> new Source(sets, total));
    }

    private CompletionStage<EntryPage> from(List<String> sets, Range<byte[]> range) {
      return step(sets, range).thenCompose(step -> take(sets, step));
    }

    private CompletionStage<Step> step(List<String> sets, Range<byte[]> range) {
      CompletionStage<List<List<String>>> pages = CompletableFuture.completedStage(List.of());
      for (String set : sets) {
        CompletionStage<List<byte[]>> page =
            RedisFailure.reading(
                () -> connections.commands().zrangebylex(set, range, Limit.from(STEP)));
        pages =
            pages.thenCombine(
                page,
                (before, next) -> {
                  List<List<String>> all = new ArrayList<>(before);
                  all.add(next.stream().map(key -> new String(key, UTF_8)).toList());
                  return all;
                });
      }
      return pages.thenApply(KeyWalk::merged);
    }

    /** Up to where the shortest-sighted of the pages sees: beyond it, keys may be missing. */
    private static Step merged(List<List<String>> pages) {
      Optional<String> horizon =
          pages.stream().filter(page -> page.size() == STEP).map(List::getLast).min(EntryKey.ORDER);
      TreeSet<String> merged = new TreeSet<>(EntryKey.ORDER);
      pages.forEach(merged::addAll);
      return new Step(
          List.copyOf(horizon.map(last -> merged.headSet(last, true)).orElse(merged)),
          horizon.isEmpty());
    }

    /** Adds what fits among the keys of a step, and goes on if there is room and more. */
    private CompletionStage<EntryPage> take(List<String> sets, Step step) {
      List<String> matching = step.keys().stream().filter(query.keys()::matches).toList();
      if (matching.isEmpty()) {
        return goOn(sets, step);
      }
      return reader
          .find(keys, matching, query, query.limit() - found.size(), PAGE_BYTES - bytes)
          .thenCompose(some -> {
            found.addAll(some.entries());
            bytes += some.bytes();
            return some.examined() < matching.size()
                ? CompletableFuture.completedStage(page(matching.get(some.examined() - 1)))
                : goOn(sets, step);
          });
    }

    private CompletionStage<EntryPage> goOn(List<String> sets, Step step) {
      if (step.end()) {
        return CompletableFuture.completedStage(
            new EntryPage(List.copyOf(found), Optional.empty()));
      }
      String last = step.keys().getLast();
      return found.size() == query.limit() || bytes >= PAGE_BYTES
          ? CompletableFuture.completedStage(page(last))
          : from(sets, range(Optional.of(last)));
    }

    private EntryPage page(String last) {
      return new EntryPage(List.copyOf(found), Optional.of(new Query.Cursor(last)));
    }

    /** What can match, after a key: no byte of UTF-8 is 0xFF, so that is after all of a prefix. */
    private Range<byte[]> range(Optional<String> after) {
      byte[] prefix = query.keys().prefix().getBytes(UTF_8);
      byte[] end = Arrays.copyOf(prefix, prefix.length + 1);
      end[prefix.length] = (byte) 0xFF;
      Range.Boundary<byte[]> from =
          after
              .map(key -> key.getBytes(UTF_8))
              .filter(key -> Arrays.compareUnsigned(key, prefix) >= 0)
              .map(Range.Boundary::excluding)
              .orElse(Range.Boundary.including(prefix));
      return Range.from(from, Range.Boundary.excluding(end));
    }
  }
}
