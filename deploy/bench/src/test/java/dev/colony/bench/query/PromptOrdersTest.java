package dev.colony.bench.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.PageId;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.settings.GraphSettings;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The beginnings that prompts have in common, by the order of their pages. */
class PromptOrdersTest {

  private static final PageId A = page('a');
  private static final PageId B = page('b');
  private static final PageId C = page('c');
  private static final PageId D = page('d');

  private static PageId page(char letter) {
    return new PageId(("" + letter).repeat(26));
  }

  private static final PromptOrders PROMPTS =
      new PromptOrders(
          Map.of(A, 100, B, 200, C, 300, D, 400),
          List.of(List.of(C, A, B), List.of(B, D, C), List.of(C, B, D, A)));

  @Test
  void onlyTheBeginningOfAnEarlierPromptIsCached() {
    // abc, bcd, abcd: nothing, nothing, abc of 600 of 1,000 tokens
    assertThat(PROMPTS.cached(Comparator.naturalOrder())).isCloseTo(600 / 2_500.0, within(1e-9));
    // cba, dcb, dcba: nothing, nothing, dcb of 900
    assertThat(PROMPTS.cached(Comparator.reverseOrder())).isCloseTo(900 / 2_500.0, within(1e-9));
    // bca, bcd, bcda: nothing, bc of 500, bcd of 900
    assertThat(PROMPTS.cached(Comparator.comparing(List.of(B, C, D, A)::indexOf)))
        .isCloseTo(1_400 / 2_500.0, within(1e-9));
  }

  @Test
  void noOrderComesToMoreThanTheLargestOverlap() {
    assertThat(PROMPTS.most()).isCloseTo((500 + 900) / 2_500.0, within(1e-9));
  }

  @Test
  void ordersArePermutationsByWhatTheirNamesSay() {
    Instant now = Instant.EPOCH;
    PageGraph graph = new PageGraph(GraphSettings.fromConfig(ConfigFactory.load()));
    List.of(A, B, C, D).forEach(graph::add);
    graph.learn(A, List.of(D, C), List.of(D), now);
    graph.learn(B, List.of(D, C), List.of(D, C), now);
    Map<String, Comparator<PageId>> orders =
        PromptOrders.orders(List.of(B, A, D, C), Map.of(C, 7, A, 2), graph, now);

    assertThat(sorted(orders.get("by their ids"))).containsExactly(A, B, C, D);
    assertThat(sorted(orders.get("of the map"))).containsExactly(B, A, D, C);
    assertThat(sorted(orders.get("by answers in the graph"))).containsExactly(D, C, A, B);
    assertThat(sorted(orders.get("by how often they were read"))).containsExactly(C, A, B, D);
    assertThat(sorted(orders.get("by cluster and centrality in the graph")))
        .as("one cluster, what most leads to first")
        .startsWith(D)
        .containsExactlyInAnyOrder(A, B, C, D);
  }

  private static List<PageId> sorted(Comparator<PageId> order) {
    return List.of(A, B, C, D).stream().sorted(order).toList();
  }
}
