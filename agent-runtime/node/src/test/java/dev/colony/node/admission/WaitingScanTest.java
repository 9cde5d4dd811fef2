package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who of those that wait for capacity is found, however many stand before. */
class WaitingScanTest {

  private final List<CapacityQueue.Waiting> waiting = new ArrayList<>();
  private int read;

  private final CapacityQueue queue =
      new CapacityQueue() {
        @Override
        public CompletionStage<List<String>> tenants(int limit, Optional<String> after) {
          return CompletableFuture.completedStage(List.of("t"));
        }

        @Override
        public CompletionStage<List<Waiting>> waiting(
            String tenant, int limit, Optional<Waiting> after) {
          int from = after.map(waiting::indexOf).orElse(-1) + 1;
          List<Waiting> page =
              List.copyOf(waiting.subList(from, Math.min(waiting.size(), from + limit)));
          read += page.size();
          return CompletableFuture.completedStage(page);
        }
      };

  private final CandidateReader.WaitingScan scan = new CandidateReader.WaitingScan(queue);

  private void wait(int count) {
    IntStream.range(0, count)
        .forEach(i -> waiting.add(new CapacityQueue.Waiting(new AgentId("t", "c", "a" + i), 1, i)));
  }

  private List<Long> found(int limit, int first) {
    return scan.first("t", limit, one -> one.rank() >= first).toCompletableFuture().join().stream()
        .map(CapacityQueue.Waiting::rank)
        .toList();
  }

  @Test
  void theFirstComeInTheirOrder() {
    wait(200);
    assertThat(found(3, 0)).containsExactly(0L, 1L, 2L);
    assertThat(found(3, 0)).as("again from the front").containsExactly(0L, 1L, 2L);
    assertThat(found(2, 100)).containsExactly(100L, 101L);
  }

  @Test
  void thoseBehindVeryManyThatMayNotGoOnAreFoundByLaterLooks() {
    int most = CandidateReader.WaitingScan.PAGE * CandidateReader.WaitingScan.PAGES;
    wait(2 * most + 10);
    assertThat(found(4, 2 * most + 5)).isEmpty();
    assertThat(read).as("read in a look").isEqualTo(most);
    assertThat(found(4, 2 * most + 5)).isEmpty();
    assertThat(found(4, 2 * most + 5)).hasSize(4).startsWith(2L * most + 5);
    assertThat(found(1, 0)).as("then from the front").containsExactly(0L);
  }

  @Test
  void fewerComeWhereThereAreNoMore() {
    wait(5);
    assertThat(found(4, 3)).containsExactly(3L, 4L);
    assertThat(found(4, 9)).isEmpty();
  }
}
