package dev.colony.vcm.graph;

import static dev.colony.vcm.Fixtures.page;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.PageId;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.PrefetchSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Pages that follow those that were read, as far as they are likely and in no cache. */
class PrefetchTest {

  private static final GraphSettings GRAPH = GraphSettings.fromConfig(ConfigFactory.load());
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static PrefetchSettings settings(int pages, double likelihood, int depth) {
    return new PrefetchSettings(pages, 1 << 20, likelihood, depth, 1, 1, Duration.ZERO);
  }

  /** From page 1 to 2 by 0.9 and to 3 by 0.4, from 2 to 4 by 0.5, from 4 to 5 by 1. */
  private static PageGraph graph() {
    PageGraph graph = new PageGraph(GRAPH);
    for (int number = 1; number <= 5; number++) {
      graph.add(page(number));
    }
    graph.update(page(1), page(2), 0.9, NOW);
    graph.update(page(1), page(3), 0.4, NOW);
    graph.update(page(2), page(4), 0.5, NOW);
    graph.update(page(4), page(5), 1, NOW);
    return graph;
  }

  private static List<PageId> following(PrefetchSettings settings, PageId... cached) {
    return Prefetch.following(graph(), List.of(page(1)), Set.of(cached)::contains, settings, NOW);
  }

  @Test
  void theLikeliestComeFirstAndThoseBelowTheLikelihoodNotAtAll() {
    assertThat(following(settings(9, 0.3, 9))).containsExactly(page(2), page(4), page(5), page(3));
    assertThat(following(settings(9, 0.41, 9))).containsExactly(page(2), page(4), page(5));
    assertThat(following(settings(9, 0.5, 9))).containsExactly(page(2));
    assertThat(following(settings(9, 0.95, 9))).isEmpty();
  }

  @Test
  void depthAndNumberBoundIt() {
    assertThat(following(settings(9, 0.3, 1))).containsExactly(page(2), page(3));
    assertThat(following(settings(9, 0.3, 2))).containsExactly(page(2), page(4), page(3));
    assertThat(following(settings(1, 0.3, 9))).containsExactly(page(2));
    assertThat(following(settings(0, 0, 9))).isEmpty();
  }

  @Test
  void aCachedPageIsFollowedFromAndNotLoaded() {
    assertThat(following(settings(2, 0.3, 9), page(2), page(4))).containsExactly(page(5), page(3));
  }

  @Test
  void nothingFollowsPagesThatAreUnknown() {
    assertThat(Prefetch.following(graph(), List.of(page(9)), one -> false, settings(9, 0, 9), NOW))
        .isEmpty();
    assertThat(Prefetch.following(graph(), List.of(), one -> false, settings(9, 0, 9), NOW))
        .isEmpty();
  }

  @Property(tries = 200)
  void noPageThatWasReadOrIsCachedIsLoadedAndNeverMoreThanMayBe(
      @ForAll long seed,
      @ForAll @IntRange(min = 0, max = 6) int pages,
      @ForAll @DoubleRange(min = 0, max = 1) double likelihood) {
    Random random = new Random(seed);
    PageGraph graph = new PageGraph(GRAPH);
    for (int number = 0; number < 12; number++) {
      graph.add(page(number));
    }
    for (int edge = 0; edge < 40; edge++) {
      graph.update(page(random.nextInt(12)), page(random.nextInt(12)), random.nextDouble(), NOW);
    }
    Set<PageId> cached = new HashSet<>();
    for (int number = 0; number < 12; number += 1 + random.nextInt(4)) {
      cached.add(page(number));
    }
    List<PageId> read = List.of(page(random.nextInt(12)), page(random.nextInt(12)));

    List<PageId> following =
        Prefetch.following(graph, read, cached::contains, settings(pages, likelihood, 3), NOW);

    assertThat(following)
        .hasSizeLessThanOrEqualTo(pages)
        .doesNotHaveDuplicates()
        .doesNotContainAnyElementsOf(cached)
        .doesNotContainAnyElementsOf(read);
    assertThat(
            Prefetch.following(graph, read, cached::contains, settings(pages, likelihood, 3), NOW))
        .as("the same again")
        .isEqualTo(following);
  }
}
