package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageGraph.PageEdge;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class PageGraphTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /** Filler that mentions nothing, so that each file has a page of its own. */
  private static final String FILLER = "    of no meaning at all\n".repeat(18);

  private static Map<String, String> files() {
    return new TreeMap<>(
        Map.of(
            "shop/Order.java", "import shop.stock.Shelf;\nclass Order {}\n" + FILLER,
            "shop/stock/Shelf.java", "class Shelf {}\n" + FILLER,
            "shop/stock/ShelfTest.java", "class ShelfTest { Shelf one; }\n" + FILLER,
            "mail/Letter.java", "class Letter {}\n" + FILLER));
  }

  private static List<VirtualContextPage> pages(Map<String, String> files) {
    return Fixtures.map(files, new GroupingSettings(160, 4)).pages();
  }

  private static PageId pageOf(String file, List<VirtualContextPage> pages) {
    return pages.stream()
        .filter(page -> page.segments().getFirst().file().equals(file))
        .findFirst()
        .orElseThrow()
        .id();
  }

  @Test
  void textLeadsToWhatItImportsAndToItsNeighbours() {
    List<VirtualContextPage> pages = pages(files());
    PageGraph graph = PageGraph.of(pages, 1, NOW);
    PageId order = pageOf("shop/Order.java", pages);
    PageId shelf = pageOf("shop/stock/Shelf.java", pages);
    PageId test = pageOf("shop/stock/ShelfTest.java", pages);
    PageId letter = pageOf("mail/Letter.java", pages);
    assertThat(graph.pages()).contains(order, shelf, test, letter);
    assertThat(graph.from(order, NOW)).extracting(PageGraph.Neighbour::page).contains(shelf);
    assertThat(graph.weight(shelf, test, NOW)).isEqualTo(1);
    assertThat(graph.weight(test, shelf, NOW)).isEqualTo(1);
    assertThat(graph.weight(order, letter, NOW)).isZero();
    assertThat(graph.from(letter, NOW)).isEmpty();
  }

  @Test
  void answersMakeAnEdgeHeavierSilenceLighterAndTimeAsItWas() {
    PageGraph graph = graph(3, List.of(new int[] {0, 1}));
    double before = graph.weight(page(0), page(1), NOW);
    graph.learn(page(0), List.of(page(1), page(2)), List.of(page(2)), NOW);
    assertThat(graph.weight(page(0), page(1), NOW)).isLessThan(before);
    assertThat(graph.weight(page(0), page(2), NOW)).isCloseTo(1.0 / 3, within(1e-9));
    graph.learn(page(0), List.of(page(1)), List.of(page(1)), NOW);
    graph.learn(page(0), List.of(page(1)), List.of(page(1)), NOW);
    assertThat(graph.weight(page(0), page(1), NOW)).isGreaterThan(before);
    Instant later = NOW.plus(PageGraph.Bounds.USUAL.halfLife().multipliedBy(40));
    assertThat(graph.weight(page(0), page(1), later)).isCloseTo(before, within(1e-6));
    graph.prune(later);
    assertThat(graph.edges(page(0))).containsOnlyKeys(page(1));
  }

  @Test
  void aSourceThatIsMappedAgainKeepsWhatWasLearnedOfPagesThatStay() {
    List<VirtualContextPage> pages = pages(files());
    PageGraph graph = PageGraph.of(pages, 1, NOW);
    PageId order = pageOf("shop/Order.java", pages);
    PageId letter = pageOf("mail/Letter.java", pages);
    PageId shelf = pageOf("shop/stock/Shelf.java", pages);
    graph.learn(order, graph.pages(), List.of(letter), NOW);
    Map<String, String> changed = files();
    changed.put("shop/stock/Shelf.java", "class Shelf { int size; }\n" + FILLER);
    List<VirtualContextPage> after = pages(changed);
    graph.layOut(after, 1, NOW);
    assertThat(graph.pages())
        .containsExactlyInAnyOrderElementsOf(after.stream().map(VirtualContextPage::id).toList())
        .doesNotContain(shelf);
    assertThat(graph.weight(order, letter, NOW)).isCloseTo(1.0 / 3, within(1e-9));
    assertThat(graph.from(order, NOW))
        .extracting(PageGraph.Neighbour::page)
        .contains(pageOf("shop/stock/Shelf.java", after))
        .doesNotContain(shelf);
  }

  @Property(tries = 200)
  void weightsStayWithinTheirRangeAndEdgesWithinTheirBound(@ForAll long seed) {
    Random random = new Random(seed);
    PageGraph.Bounds tight = new PageGraph.Bounds(Duration.ofHours(1), 2, 0.05, 4);
    PageGraph graph = new PageGraph(tight);
    int size = 2 + random.nextInt(12);
    for (int i = 0; i < size; i++) {
      graph.restore(page(i), page((i + 1) % size), PageEdge.laidOut(random.nextDouble(), NOW));
    }
    Instant now = NOW;
    for (int i = 0; i < 60; i++) {
      now = now.plusSeconds(random.nextInt(1000));
      Set<PageId> asked = some(random, size);
      Set<PageId> answered = new TreeSet<>(asked);
      answered.removeIf(page -> random.nextBoolean());
      PageId from = page(random.nextInt(size));
      graph.learn(from, asked, answered, now);
      List<PageGraph.Neighbour> out = graph.from(from, now);
      assertThat(out).hasSizeLessThanOrEqualTo(4);
      assertThat(out)
          .allSatisfy(next -> {
            assertThat(next.weight()).isBetween(0.05, 1.0);
            assertThat(next.page()).isNotEqualTo(from);
          });
    }
  }

  @Property(tries = 200)
  void aWalkVisitsEachPageOnceWithinItsBounds(@ForAll long seed) {
    Random random = new Random(seed);
    int size = 1 + random.nextInt(20);
    PageGraph graph = random(random, size);
    Traversal.Bounds bounds =
        new Traversal.Bounds(random.nextInt(4), 1 + random.nextInt(10), random.nextDouble() / 4, 1);
    for (Traversal.Strategy strategy : Traversal.Strategy.values()) {
      List<Traversal.Visit> visits =
          Traversal.walk(graph, some(random, size), strategy, bounds, page -> true, NOW);
      assertThat(visits).hasSizeLessThanOrEqualTo(bounds.pages());
      assertThat(visits).extracting(Traversal.Visit::page).doesNotHaveDuplicates();
      assertThat(visits)
          .allSatisfy(visit -> {
            assertThat(visit.depth()).isLessThanOrEqualTo(bounds.depth());
            assertThat(visit.weight()).isGreaterThanOrEqualTo(bounds.leastWeight());
          });
      if (strategy == Traversal.Strategy.BEST_FIRST) {
        assertThat(visits)
            .extracting(Traversal.Visit::weight)
            .isSortedAccordingTo((a, b) -> Double.compare(b, a));
      } else {
        assertThat(visits).extracting(Traversal.Visit::depth).isSorted();
      }
    }
  }

  @Test
  void ofEquallyNearPagesTheResidentOnesGoFirst() {
    PageGraph graph = graph(3, List.of(new int[] {0, 1}, new int[] {0, 2}));
    Traversal.Bounds bounds = new Traversal.Bounds(1, 10, 0, 0.9);
    for (Traversal.Strategy strategy : Traversal.Strategy.values()) {
      assertThat(Traversal.walk(graph, List.of(page(0)), strategy, bounds, page(2)::equals, NOW))
          .extracting(Traversal.Visit::page)
          .containsExactly(page(0), page(2), page(1));
    }
  }

  static PageId page(int number) {
    return Fixtures.page(number);
  }

  private static Set<PageId> some(Random random, int size) {
    Set<PageId> some = new TreeSet<>();
    for (int i = 0; i < size; i++) {
      if (random.nextInt(3) == 0) {
        some.add(page(i));
      }
    }
    return some;
  }

  /** With edges of one weight. */
  static PageGraph graph(int size, List<int[]> edges) {
    PageGraph graph = new PageGraph();
    for (int i = 0; i < size; i++) {
      graph.add(page(i));
    }
    edges.forEach(edge -> graph.restore(page(edge[0]), page(edge[1]), PageEdge.laidOut(0.5, NOW)));
    return graph;
  }

  private static PageGraph random(Random random, int size) {
    PageGraph graph = graph(size, List.of());
    for (int i = 0; i < 3 * size; i++) {
      int from = random.nextInt(size);
      int to = random.nextInt(size);
      if (from != to) {
        graph.restore(page(from), page(to), PageEdge.laidOut(random.nextDouble(), NOW));
      }
    }
    return graph;
  }
}
