package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.EntryKey;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Queries over many entries, held against a plain filter; what a query costs. */
class KeyWalkTest extends RedisTest {

  private static final List<String> TAGS = List.of("rare", "some", "many", "all");

  private final Blackboard board = board();

  @Test
  void pagesTogetherHoldWhatAPlainFilterFinds() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Map<String, Set<String>> entries = new TreeMap<>(EntryKey.ORDER);
    for (int n = 0; n < 900; n++) {
      Set<String> tags = new HashSet<>();
      for (int t = 0; t < TAGS.size(); t++) {
        if (random.nextInt(1 << (2 * (TAGS.size() - 1 - t))) == 0) {
          tags.add(TAGS.get(t));
        }
      }
      entries.put("%s:%03d".formatted(random.nextBoolean() ? "a" : "ü", random.nextInt(900)), tags);
    }
    entries.forEach(
        (key, tags) -> get(board.write(text(key, "").tags(tags.toArray(String[]::new)))));
    // Some change, so that indexes follow.
    for (String key : List.copyOf(entries.keySet()).subList(0, 100)) {
      if (random.nextBoolean()) {
        get(board.delete(key));
        entries.remove(key);
      } else {
        get(board.write(text(key, "").tags("some")));
        entries.put(key, Set.of("some"));
      }
    }
    for (int n = 0; n < 60; n++) {
      Query query =
          new Query(
              new KeyGlob(List.of("*", "a:*", "ü:1*", "*5", "a:?0?").get(random.nextInt(5))),
              someTags(random),
              someTags(random),
              someTags(random),
              Optional.empty(),
              1 + random.nextInt(400),
              Optional.empty());
      assertThat(allPages(query)).as("%s", query).isEqualTo(plain(entries, query));
    }
  }

  @Test
  void queryByTagCostsItsHits() {
    IntStream.range(0, 3_000)
        .mapToObj(
            n -> board.write(text("k%04d".formatted(n), "").tags(n % 300 == 0 ? "rare" : "common")))
        .toList()
        .forEach(write -> written(write, 1));
    assertThat(calls("zrangebylex", Query.all().allTags("rare", "common"))).isEqualTo(1);
    assertThat(calls("evalsha", Query.all().allTags("rare"))).isEqualTo(1);
    assertThat(calls("getrange", Query.all().allTags("rare"))).isEqualTo(10);
    assertThat(calls("getrange", Query.all().allTags("common").limit(20))).isEqualTo(20);
    assertThat(calls("getrange", Query.keys("k0012"))).isEqualTo(1);
  }

  @Test
  void pageOfLargeEntriesIsCutShort() {
    String large = "x".repeat(12 << 20);
    for (int n = 0; n < 7; n++) {
      written(board.write(Write.of("k" + n, TextNode.valueOf(large))), 1);
    }
    EntryPage first = get(board.query(Query.all()));
    assertThat(first.entries()).extracting(Entry::key).containsExactly("k0", "k1");
    assertThat(allPages(Query.all())).hasSize(7);
    EntryPage limited = get(board.query(Query.all().limit(1)));
    assertThat(limited.entries()).hasSize(1);
  }

  /** How often Redis is asked to do something for a query that no other client makes. */
  private long calls(String command, Query query) {
    get(board.query(query));
    long before = commandCalls(redis(), command);
    get(board.query(query));
    return commandCalls(redis(), command) - before;
  }

  private List<String> allPages(Query query) {
    List<String> found = new ArrayList<>();
    Optional<Query.Cursor> next = Optional.empty();
    do {
      EntryPage page = get(board.query(next.map(query::from).orElse(query)));
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(query.limit());
      page.entries().forEach(entry -> found.add(entry.key()));
      next = page.next();
    } while (next.isPresent());
    return found;
  }

  private static List<String> plain(Map<String, Set<String>> entries, Query query) {
    return entries.entrySet().stream()
        .filter(entry -> query.keys().matches(entry.getKey()))
        .filter(entry -> entry.getValue().containsAll(query.allTags()))
        .filter(entry ->
            query.anyTags().isEmpty() || !Collections.disjoint(entry.getValue(), query.anyTags()))
        .filter(entry -> Collections.disjoint(entry.getValue(), query.noTags()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static Set<String> someTags(Random random) {
    List<String> tags = new ArrayList<>(TAGS);
    Collections.shuffle(tags, random);
    return Set.copyOf(tags.subList(0, Math.max(0, random.nextInt(5) - 2)));
  }
}
