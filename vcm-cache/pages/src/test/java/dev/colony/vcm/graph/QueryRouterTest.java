package dev.colony.vcm.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.PageId;
import dev.colony.vcm.index.PageHit;
import dev.colony.vcm.settings.QuerySettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Pages whose questions some other pages answer, which no text tells and the index finds among many
 * others only.
 */
class QueryRouterTest {

  private static final QuerySettings SETTINGS = QuerySettings.fromConfig(ConfigFactory.load());
  private static final int PAGES = 200;
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final PageGraph graph = PageGraphTest.graph(PAGES, List.of());
  private final QueryRouter router = new QueryRouter(SETTINGS);

  /** What became of a question. */
  private record Outcome(List<PageId> asked, List<PageId> answers, Set<PageId> wanted) {}

  private Outcome ask(int question, Random random, boolean learns) {
    int from = random.nextInt(PAGES);
    Set<PageId> wanted = new TreeSet<>();
    for (int i = 0; i < 1 + question % 2; i++) {
      wanted.add(PageGraphTest.page((from * 37 + 1 + i * 11) % PAGES));
    }
    wanted.remove(PageGraphTest.page(from));
    List<PageHit> hits = new ArrayList<>();
    wanted.forEach(page -> hits.add(random.nextInt(Math.max(1, hits.size() + 1)), hit(page)));
    while (hits.size() < 40) {
      hits.add(random.nextInt(hits.size() + 1), hit(PageGraphTest.page(random.nextInt(PAGES))));
    }
    QueryRouter.Inquiry inquiry =
        router.begin(graph, Optional.of(PageGraphTest.page(from)), hits, page -> true, NOW);
    for (Optional<PageId> next = inquiry.next(); next.isPresent(); next = inquiry.next()) {
      inquiry.answered(wanted.contains(next.get()));
    }
    assertThatThrownBy(() -> inquiry.answered(true)).isInstanceOf(IllegalStateException.class);
    if (learns) {
      router.learn(inquiry, graph, NOW);
    }
    return new Outcome(inquiry.askedPages(), inquiry.answers(), wanted);
  }

  private static PageHit hit(PageId page) {
    return new PageHit(page, 1, List.of());
  }

  @Test
  void allPagesAreAskedUntilEnoughAnswersWereSeen() {
    Random random = new Random(1);
    for (int question = 0; question < 5; question++) {
      Outcome first = ask(question, random, true);
      assertThat(first.asked()).hasSize(PAGES - 1).doesNotHaveDuplicates();
      assertThat(first.answers()).containsExactlyInAnyOrderElementsOf(first.wanted());
    }
    assertThat(router.threshold()).isEmpty();
  }

  @Test
  void fewPagesAreAskedOnceTheGraphHasSettledAndFewAnswersAreMissed() {
    long seed = 20261125;
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    double begins = router.graphShare();
    for (int question = 0; question < 3_000; question++) {
      ask(question, random, true);
    }
    assertThat(router.graphShare()).isGreaterThan(begins).isGreaterThan(0.9);
    long calls = 0;
    long found = 0;
    long wanted = 0;
    for (int question = 0; question < 400; question++) {
      Outcome outcome = ask(question, random, false);
      calls += outcome.asked().size();
      found += outcome.answers().size();
      wanted += outcome.wanted().size();
    }
    System.out.printf(
        "%.1f calls of %d, %.3f found%n", calls / 400.0, PAGES, (double) found / wanted);
    assertThat((double) found / wanted).isGreaterThanOrEqualTo(0.95);
    assertThat(calls / 400.0).isLessThan(4 * Math.log(PAGES) / Math.log(2));
  }

  @Property(tries = 20)
  void equalQuestionsAreEquallyRouted(@ForAll long seed) {
    QueryRouterTest one = new QueryRouterTest();
    QueryRouterTest other = new QueryRouterTest();
    Random mine = new Random(seed);
    Random others = new Random(seed);
    for (int question = 0; question < 60; question++) {
      Outcome outcome = one.ask(question, mine, true);
      assertThat(other.ask(question, others, true)).isEqualTo(outcome);
      assertThat(new HashSet<>(outcome.asked())).containsAll(outcome.answers());
    }
  }

  @Test
  void withoutAnAskingPageTheBestHitsLead() {
    graph.restore(PageGraphTest.page(7), PageGraphTest.page(9), PageEdge.laidOut(1, NOW));
    QueryRouter.Inquiry inquiry =
        router.begin(
            graph, Optional.empty(), List.of(hit(PageGraphTest.page(7))), page -> false, NOW);
    List<PageId> first = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      first.add(inquiry.next().orElseThrow());
      inquiry.answered(false);
    }
    assertThat(first).containsExactly(PageGraphTest.page(7), PageGraphTest.page(9));
  }
}
