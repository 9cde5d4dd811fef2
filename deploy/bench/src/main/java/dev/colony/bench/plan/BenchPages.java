package dev.colony.bench.plan;

import dev.colony.blackboard.Blackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.tokens.TokenCounter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Pages of source text of unlike sizes, the same for the same random numbers.
 *
 * @param all in their order, which is that of the group
 */
record BenchPages(List<VirtualContextPage> all) {

  static final PageGroupId GROUP = new PageGroupId("g".repeat(26));

  private static final String TENANT = "test";
  private static final int LEAST_LINES = 30;
  private static final int MORE_LINES = 170;
  private static final int ID_CHARS = 26;
  private static final int DIGITS = 26;
  private static final StoreSettings STORE = new StoreSettings(64L << 20, 8, 4);

  static BenchPages make(int many, Random random) {
    TokenCounter counter = new TokenCounter();
    List<VirtualContextPage> pages = new ArrayList<>();
    for (int number = 0; number < many; number++) {
      String file = "Part%d.java".formatted(number);
      int lines = LEAST_LINES + random.nextInt(MORE_LINES);
      StringBuilder text = new StringBuilder("=== %s (lines 1-%d)".formatted(file, lines));
      for (int line = 1; line <= lines; line++) {
        text.append("\n    int value%d = weigh(part%d, %d);".formatted(line, number, line * 7));
      }
      pages.add(
          new VirtualContextPage(
              id(number),
              text.toString(),
              counter.count(text.toString()),
              List.of(new PageSegment(file, 1, lines))));
    }
    return new BenchPages(pages);
  }

  private static PageId id(int number) {
    String digits = "" + (char) ('a' + number / DIGITS) + (char) ('a' + number % DIGITS);
    return new PageId("p".repeat(ID_CHARS - digits.length()) + digits);
  }

  String id(int at, int behind) {
    return all.get(at + behind).id().value();
  }

  /** Tokens of each, by its id. */
  Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new HashMap<>();
    all.forEach(page -> sizes.put(page.id().value(), page.sizeTokens()));
    return sizes;
  }

  long tokens() {
    return all.stream().mapToLong(VirtualContextPage::sizeTokens).sum();
  }

  /** A store that holds them as one group. */
  PageStore store(Blackboards boards) {
    PageStore store = new BlackboardPageStore(boards, TENANT, TENANT, STORE);
    PageGroup group =
        new PageGroup(
            GROUP, "src", all.stream().map(VirtualContextPage::id).toList(), (int) tokens());
    store.save(new PageMap("m", "src", List.of(group), 1), all).toCompletableFuture().join();
    return store;
  }
}
