package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How calls are made. */
class LoopTest {

  @Test
  void aClosedLoopMakesEachCallOnceAndNoMoreAtOnceThanItHasClients() {
    AtomicInteger underWay = new AtomicInteger();
    ConcurrentLinkedQueue<Integer> most = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Integer> made = new ConcurrentLinkedQueue<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      double seconds =
          new ClosedLoop(3)
              .run(
                  0,
                  200,
                  (client, number) -> {
                    most.add(underWay.incrementAndGet());
                    made.add(number);
                    return answered(threads, underWay);
                  });
      assertThat(seconds).isPositive();
    }
    assertThat(made).containsExactlyInAnyOrderElementsOf(numbers(0, 200));
    assertThat(most).allMatch(together -> together <= 3);
  }

  private static CompletableFuture<Void> answered(Executor threads, AtomicInteger underWay) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    threads.execute(() -> {
      underWay.decrementAndGet();
      answer.complete(null);
    });
    return answer;
  }

  @Test
  void aClosedLoopFailsAsItsCallsDo() {
    assertThatThrownBy(() ->
            new ClosedLoop(2)
                .run(
                    0,
                    10,
                    (client, number) ->
                        number == 5
                            ? CompletableFuture.failedFuture(new IllegalStateException("no"))
                            : CompletableFuture.completedFuture(null)))
        .hasRootCauseMessage("no");
  }

  @Test
  void anOpenLoopMakesCallsThatAreDueAtAnEvenRateWhetherOthersAreAnsweredOrNot() {
    List<Long> due = new ArrayList<>();
    List<Integer> made = new ArrayList<>();
    List<CompletableFuture<Void>> unanswered = new ArrayList<>();
    new OpenLoop(1_000_000)
        .run(
            10,
            110,
            (number, dueNanos) -> {
              made.add(number);
              due.add(dueNanos);
              unanswered.add(new CompletableFuture<>());
              if (number == 109) {
                unanswered.forEach(answer -> answer.complete(null));
              }
              return unanswered.getLast();
            });
    assertThat(made).containsExactlyElementsOf(numbers(10, 110));
    assertThat(IntStream.range(1, due.size()).map(i -> (int) (due.get(i) - due.get(i - 1))))
        .allMatch(step -> step >= 999 && step <= 1_001);
  }

  @Test
  void anOpenLoopFailsAsItsCallsDo() {
    assertThatThrownBy(() ->
            new OpenLoop(1_000_000)
                .run(
                    0,
                    10,
                    (number, due) ->
                        CompletableFuture.failedFuture(new IllegalStateException("no"))))
        .hasRootCauseMessage("no");
  }

  private static List<Integer> numbers(int first, int end) {
    return IntStream.range(first, end).boxed().toList();
  }
}
