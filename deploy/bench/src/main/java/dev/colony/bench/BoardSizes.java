package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What a blackboard holds and how it bears it: many subscriptions, many keys, a large value. */
final class BoardSizes {

  private static final int CLIENTS = 64;
  private static final int SMALL_BYTES = 64;
  private static final int TAGGED = 100;
  private static final int BATCH = 200;
  private static final int BATCHES_UNDER_WAY = 8;
  private static final int PAGE = 1_000;
  private static final int TIMES = 5;
  private static final int VALUE_BYTES = 512;
  private static final String TAG = "rare";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private BoardSizes() {}

  /**
   * Many scopes with one subscriber each, in one process, and one write to each.
   *
   * @return whether all events came, once
   */
  static boolean subscriptions(BenchServer bench, int scopes, ObjectNode json) {
    BoardLoad load = new BoardLoad(CLIENTS, scopes, SMALL_BYTES, 1, scopes, Fsync.ALWAYS);
    final long heapBefore = ProcessMemory.heapBytes();
    long begun = System.nanoTime();
    try (LoadedScopes subscribed =
        LoadedScopes.fromNow(bench.blackboards(), "subscriptions", load)) {
      json.put("scopes", scopes)
          .put("subscribeSeconds", Report.rounded((System.nanoTime() - begun) / 1e9))
          .put("heapBytesEach", Math.max(0, ProcessMemory.heapBytes() - heapBefore) / scopes)
          .put(
              "connections",
              bench.redis().commands().clientList().toCompletableFuture().join().lines().count());
      long delivering = System.nanoTime();
      new ClosedLoop(CLIENTS)
          .run(0, scopes, (client, number) -> subscribed.write(number, System.nanoTime()));
      subscribed.arrivals().await(scopes, PATIENCE);
      json.put("deliverSeconds", Report.rounded((System.nanoTime() - delivering) / 1e9));
      Arrivals.Tally tally = subscribed.tally();
      tally.addTo(json);
      return tally.whole();
    }
  }

  /**
   * Many keys in one scope, a few of them tagged: to write them, to find those by their tag, as
   * many without a tag, those by a glob that has to look at every key, and to page through all.
   *
   * @return whether every entry was found that had to be
   */
  static boolean keys(BenchServer bench, int keys, ObjectNode json) {
    Blackboard board = bench.blackboards().open(Scope.colony("bench", "keys"), "bench");
    NumberedValue values = new NumberedValue(VALUE_BYTES);
    int tagEvery = Math.max(1, keys / TAGGED);
    double fillSeconds =
        new ClosedLoop(BATCHES_UNDER_WAY)
            .run(
                0,
                Math.ceilDiv(keys, BATCH),
                (client, batch) ->
                    board.writeAll(
                        IntStream.range(batch * BATCH, Math.min(keys, (batch + 1) * BATCH))
                            .mapToObj(i -> write(i, values, tagEvery))
                            .toList()));
    Query all = Query.all();
    Timed<Integer> byTag = Timed.median(() -> count(board, all.allTags(TAG).limit(PAGE)));
    Timed<Integer> first =
        Timed.median(() -> page(board, all.limit(byTag.found())).entries().size());
    Timed<Integer> byGlob = Timed.median(() -> count(board, Query.keys("*:" + TAG).limit(PAGE)));
    Timed<Integer> paged = Timed.median(() -> count(board, all.limit(PAGE)));
    json.put("keys", keys)
        .put("fillSeconds", Report.rounded(fillSeconds))
        .put("byTagMillis", Report.rounded(byTag.millis()))
        .put("firstPageMillis", Report.rounded(first.millis()))
        .put("byGlobMillis", Report.rounded(byGlob.millis()))
        .put("allMillis", Report.rounded(paged.millis()))
        .put("tagged", byTag.found())
        .put("paged", paged.found());
    return byTag.found() == Math.min(TAGGED, keys) && paged.found() == keys;
  }

  /** Something that was done several times, with the median of the times it took. */
  private record Timed<T>(T found, double millis) {

    static <T> Timed<T> median(Supplier<T> work) {
      double[] millis = new double[TIMES];
      T found = null;
      for (int i = 0; i < TIMES; i++) {
        long begun = System.nanoTime();
        found = work.get();
        millis[i] = (System.nanoTime() - begun) / 1e6;
      }
      Arrays.sort(millis);
      return new Timed<>(found, millis[TIMES / 2]);
    }
  }

  private static Write write(int number, NumberedValue values, int tagEvery) {
    boolean tagged = number % tagEvery == 0 && number / tagEvery < TAGGED;
    String key = "key:%06d".formatted(number);
    return tagged
        ? Write.of(key + ":" + TAG, values.of(number)).tags(TAG)
        : Write.of(key, values.of(number));
  }

  private static int count(Blackboard board, Query query) {
    int entries = 0;
    Optional<Query.Cursor> next = Optional.empty();
    do {
      EntryPage page = page(board, next.map(query::from).orElse(query));
      entries += page.entries().size();
      next = page.next();
    } while (next.isPresent());
    return entries;
  }

  private static EntryPage page(Blackboard board, Query query) {
    return board.query(query).toCompletableFuture().join();
  }

  /**
   * A large value: until its write is acknowledged, until a subscriber has it, until it is read.
   *
   * @throws CommandFailure if what is heard or read is not what was written
   */
  static void value(BenchServer bench, int bytes, ObjectNode json) {
    Blackboard board = bench.blackboards().open(Scope.colony("bench", "value"), "bench");
    Write large = Write.of("large", new NumberedValue(bytes).of(0));
    Latencies written = new Latencies();
    Latencies heard = new Latencies();
    Latencies read = new Latencies();
    for (int i = 0; i < TIMES; i++) {
      Arrivals arrivals = new Arrivals(1);
      LoadedScopes.Receiver receiver =
          new LoadedScopes.Receiver(arrivals, new LongAdder(), position -> {});
      board.subscribe(EventFilter.all(), SubscribeFrom.now()).subscribe(receiver);
      ClosedLoop.await(receiver.established(), "the subscription");
      long begun = System.nanoTime();
      arrivals.sent(0, begun);
      board.write(large).toCompletableFuture().join();
      written.since(begun);
      final boolean came = arrivals.await(1, PATIENCE);
      heard.add((long) (arrivals.latency().millis(50) * 1e6));
      receiver.cancel();
      long reading = System.nanoTime();
      Entry entry = board.read("large").toCompletableFuture().join().orElseThrow();
      read.since(reading);
      if (!came || !entry.value().equals(large.value())) {
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL, "a value of %,d bytes did not come back".formatted(bytes));
      }
    }
    json.put("bytes", bytes)
        .put("writeMillis", Report.rounded(written.millis(50)))
        .put("heardMillis", Report.rounded(heard.millis(50)))
        .put("readMillis", Report.rounded(read.millis(50)));
  }
}
