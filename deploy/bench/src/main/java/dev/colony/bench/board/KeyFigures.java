package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.ClosedLoop;
import dev.colony.bench.load.Figures;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Many keys in one scope, a few of them tagged.
 *
 * @param fillSeconds to write them, {@value #BATCH} at a time
 * @param byTagMillis to find the tagged ones by their tag, the median of several times
 * @param firstPageMillis to find as many without a tag
 * @param byGlobMillis to find the tagged ones by a glob that has to look at every key
 * @param allMillis to page through all, {@value #PAGE} at a time
 * @param tagged how many the query by tag found
 * @param paged how many the paging found
 */
record KeyFigures(
    int keys,
    double fillSeconds,
    double byTagMillis,
    double firstPageMillis,
    double byGlobMillis,
    double allMillis,
    int tagged,
    int paged) {

  private static final int TAGGED = 100;
  private static final int BATCH = 200;
  private static final int BATCHES_UNDER_WAY = 8;
  private static final int PAGE = 1_000;
  private static final int TIMES = 5;
  private static final int VALUE_BYTES = 512;
  private static final String TAG = "rare";

  static KeyFigures measure(BenchServer bench, int keys) {
    Blackboard board = bench.blackboards().open(Scope.colony("bench", "keys"), "bench");
    NumberedValue values = new NumberedValue(VALUE_BYTES);
    int tagEvery = Math.max(1, keys / TAGGED);
    int batches = (keys + BATCH - 1) / BATCH;
    double fillSeconds =
        new ClosedLoop(BATCHES_UNDER_WAY)
            .run(
                0,
                batches,
                (client, batch) ->
                    board.writeAll(
                        IntStream.range(batch * BATCH, Math.min(keys, (batch + 1) * BATCH))
                            .mapToObj(i -> write(i, values, tagEvery))
                            .toList()));
    Query all = Query.all();
    Timed<Integer> byTag = Timed.median(() -> count(board, all.allTags(TAG).limit(PAGE)));
    Timed<Integer> firstPage =
        Timed.median(() -> page(board, all.limit(byTag.found())).entries().size());
    Timed<Integer> byGlob = Timed.median(() -> count(board, Query.keys("*:" + TAG).limit(PAGE)));
    Timed<Integer> paged = Timed.median(() -> count(board, all.limit(PAGE)));
    return new KeyFigures(
        keys,
        fillSeconds,
        byTag.millis(),
        firstPage.millis(),
        byGlob.millis(),
        paged.millis(),
        byTag.found(),
        paged.found());
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

  /** Whether every entry was found that had to be. */
  boolean whole() {
    return tagged == Math.min(TAGGED, keys) && paged == keys;
  }

  List<String[]> rows() {
    String hits = "%,d of %,d keys ".formatted(tagged, keys);
    return List.of(
        new String[] {"%,d keys written".formatted(keys), Figures.text(fillSeconds) + " s"},
        new String[] {hits + "by their tag", Figures.text(byTagMillis) + " ms"},
        new String[] {"as many without a tag", Figures.text(firstPageMillis) + " ms"},
        new String[] {hits + "by a glob over all", Figures.text(byGlobMillis) + " ms"},
        new String[] {"%,d keys paged through".formatted(paged), Figures.text(allMillis) + " ms"});
  }

  ObjectNode addTo(ObjectNode json) {
    return json.put("keys", keys)
        .put("fillSeconds", Figures.rounded(fillSeconds))
        .put("byTagMillis", Figures.rounded(byTagMillis))
        .put("firstPageMillis", Figures.rounded(firstPageMillis))
        .put("byGlobMillis", Figures.rounded(byGlobMillis))
        .put("allMillis", Figures.rounded(allMillis))
        .put("tagged", tagged)
        .put("paged", paged);
  }
}
