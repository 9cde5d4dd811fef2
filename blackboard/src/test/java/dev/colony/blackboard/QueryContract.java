package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Queries: which entries are found, in which order, page by page. */
abstract class QueryContract extends Contract {

  QueryContract(BlackboardContract backend) {
    super(backend);
  }

  /** All pages of a query, none longer than its limit. */
  static List<String> allPages(Blackboard board, Query query) {
    List<String> found = new ArrayList<>();
    Optional<Query.Cursor> next = Optional.empty();
    do {
      EntryPage page = get(board.query(next.map(query::from).orElse(query)));
      assertThat(page.entries().size()).isLessThanOrEqualTo(query.limit());
      page.entries().forEach(entry -> found.add(entry.key()));
      assertThat(found).doesNotHaveDuplicates();
      next = page.next();
    } while (next.isPresent());
    return found;
  }

  @Test
  void globsAreMatchedInTheOrderOfBytes() {
    Blackboard board = board();
    // U+FF5A sorts before U+1F388 by its bytes, and after it by its UTF-16 characters.
    List<String> keys =
        List.of("finding:1", "finding:10", "finding:2", "finding:a:b", "note", "z\uff5a", "z🎈");
    writeKeys(board, keys.reversed().toArray(String[]::new));

    assertThat(keys(board, Query.all())).isEqualTo(keys);
    assertThat(keys(board, Query.keys("finding:*"))).isEqualTo(keys.subList(0, 4));
    assertThat(keys(board, Query.keys("finding:?"))).containsExactly("finding:1", "finding:2");
    assertThat(keys(board, Query.keys("*:?")))
        .containsExactly("finding:1", "finding:2", "finding:a:b");
    assertThat(keys(board, Query.keys("z?"))).containsExactly("z\uff5a", "z🎈");
    assertThat(keys(board, Query.keys("note"))).containsExactly("note");
    assertThat(keys(board, Query.keys("not"))).isEmpty();
    assertThat(keys(board, Query.all().limit(3))).isEqualTo(keys.subList(0, 3));
    assertThatThrownBy(() -> Query.all().limit(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void foundEntriesAreWhole() {
    Blackboard board = board();
    written(board.write(text("k", "value").tags("t").ttl(Duration.ofHours(1))), 1);
    assertThat(get(board.query(Query.all().allTags("t"))).entries())
        .containsExactly(get(board.read("k")).orElseThrow());
  }

  @Test
  void tagsChoose() {
    Blackboard board = board();
    written(board.write(text("1", "").tags("x")), 1);
    written(board.write(text("2", "").tags("x", "y")), 1);
    written(board.write(text("3", "").tags("x", "y", "z")), 1);
    written(board.write(text("4", "").tags("z")), 1);
    written(board.write(text("5", "")), 1);

    assertThat(keys(board, Query.all().allTags("x"))).containsExactly("1", "2", "3");
    assertThat(keys(board, Query.all().allTags("y", "x"))).containsExactly("2", "3");
    assertThat(keys(board, Query.all().allTags("x", "none"))).isEmpty();
    assertThat(keys(board, Query.all().anyTags("y", "z"))).containsExactly("2", "3", "4");
    assertThat(keys(board, Query.all().anyTags("none"))).isEmpty();
    assertThat(keys(board, Query.all().noTags("x", "y"))).containsExactly("4", "5");
    assertThat(keys(board, Query.all().allTags("x").anyTags("y", "z").noTags("z")))
        .containsExactly("2");
    assertThat(keys(board, Query.keys("?").allTags("x").limit(2))).containsExactly("1", "2");
    assertThat(keys(board, Query.keys("3*").allTags("x"))).containsExactly("3");
  }

  @Test
  void tagsFollowTheEntry() {
    Blackboard board = board();
    written(board.write(text("k", "").tags("old", "both")), 1);
    written(board.write(text("k", "").tags("both", "new")), 2);
    assertThat(keys(board, Query.all().allTags("old"))).isEmpty();
    assertThat(keys(board, Query.all().allTags("both"))).containsExactly("k");
    assertThat(keys(board, Query.all().allTags("new"))).containsExactly("k");
    get(board.delete("k"));
    assertThat(keys(board, Query.all().anyTags("both", "new"))).isEmpty();
    assertThat(keys(board, Query.all().allTags("new"))).isEmpty();
  }

  @Test
  void updatedSinceIsAtThatInstantOrLater() {
    Blackboard board = board();
    writeKeys(board, "a", "b");
    Instant instant = get(board.read("a")).orElseThrow().updatedAt();
    assertThat(keys(board, Query.all().updatedSince(instant))).containsExactly("a", "b");
    assertThat(keys(board, Query.all().updatedSince(instant.plusSeconds(3_600)))).isEmpty();
    // An entry written at a later instant alone is found from that instant on.
    Instant later;
    int version = 1;
    do {
      written(board.write(text("a", "").tags("t")), ++version);
      later = get(board.read("a")).orElseThrow().updatedAt();
    } while (!later.isAfter(get(board.read("b")).orElseThrow().updatedAt()));
    assertThat(keys(board, Query.all().updatedSince(later))).containsExactly("a");
    assertThat(keys(board, Query.all().updatedSince(later).noTags("t"))).isEmpty();
    assertThat(keys(board, Query.all().allTags("t").updatedSince(later.plusMillis(1)))).isEmpty();
  }

  @Test
  void pagesFollowOneAnother() {
    Blackboard board = board();
    // The first is what all others begin with.
    List<String> all = List.of("k", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8");
    for (String key : all) {
      written(board.write(text(key, "").tags("t")), 1);
    }
    for (Query query : List.of(Query.all(), Query.keys("k*"), Query.all().allTags("t"))) {
      for (int limit : List.of(1, 3, 5, 10, 100)) {
        assertThat(allPages(board, query.limit(limit))).isEqualTo(all);
        assertThat(get(board.queryAll(query.limit(limit)))).extracting(Entry::key).isEqualTo(all);
      }
    }
    assertThat(keys(board, Query.all().limit(2).from(new Query.Cursor("k3"))))
        .containsExactly("k4", "k5");
    assertThat(keys(board, Query.all().from(new Query.Cursor("k33")))).startsWith("k4");
    assertThat(keys(board, Query.keys("k7*").from(new Query.Cursor("a")))).containsExactly("k7");
    assertThat(keys(board, Query.keys("k1").from(new Query.Cursor("k2")))).isEmpty();
    assertThat(get(board.query(Query.keys("none"))).next()).isEmpty();
  }

  @Test
  void cursorStaysGoodWhateverIsWrittenMeanwhile() {
    Blackboard board = board();
    writeKeys(board, "a", "c", "e", "g");
    EntryPage first = get(board.query(Query.all().limit(2)));
    assertThat(first.entries()).extracting(Entry::key).containsExactly("a", "c");
    Query.Cursor cursor = first.next().orElseThrow();
    get(board.delete("c"));
    writeKeys(board, "b", "d", "f");
    assertThat(allPages(board, Query.all().limit(2).from(cursor)))
        .containsExactly("d", "e", "f", "g");
  }

  @Test
  void anyNumberOfKeysIsWalked() {
    Blackboard board = board();
    List<CompletionStage<WriteResult>> writes =
        IntStream.range(0, 700)
            .mapToObj(n -> board.write(text("k:%03d:%s".formatted(n, n % 7 == 0), "").tags("t")))
            .toList();
    writes.forEach(Contract::get);
    Query seventh = Query.keys("k:*:true");
    assertThat(allPages(board, seventh.limit(1_000))).hasSize(100).isSorted();
    assertThat(allPages(board, seventh.allTags("t").limit(30))).hasSize(100).isSorted();
    assertThat(allPages(board, Query.all().limit(650))).hasSize(700).endsWith("k:699:false");
  }
}
