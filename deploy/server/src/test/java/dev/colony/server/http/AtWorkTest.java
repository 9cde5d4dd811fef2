package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.server.http.Problems.Refusal;
import dev.colony.server.http.RequestRates.AtWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How many requests are worked on at a time. */
class AtWorkTest {

  @Test
  void soManyAtATimeAndAllInTheEnd() throws Exception {
    AtWork atWork = new AtWork(3, Duration.ofSeconds(30));
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Future<Integer>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        all.add(
            threads.submit(() ->
                atWork.take(() -> {
                  int here = now.incrementAndGet();
                  most.accumulateAndGet(here, Math::max);
                  Thread.yield();
                  now.decrementAndGet();
                  return here;
                })));
      }
      for (Future<Integer> one : all) {
        assertThat(one.get()).isBetween(1, 3);
      }
    }
    assertThat(most).hasValueLessThanOrEqualTo(3);
  }

  @Test
  void whoseTurnDoesNotComeIsRefused() throws Exception {
    AtWork atWork = new AtWork(1, Duration.ofMillis(1));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<String> first =
          threads.submit(() ->
              atWork.take(() -> {
                begun.countDown();
                awaited(done);
                return "done";
              }));
      begun.await();
      assertThatThrownBy(() -> atWork.take(() -> "never"))
          .isInstanceOf(Refusal.class)
          .hasMessageContaining("ask again");
      done.countDown();
      assertThat(first.get()).isEqualTo("done");
    }
    assertThatThrownBy(() ->
            atWork.take(() -> {
              throw new IllegalStateException("broken");
            }))
        .hasMessage("broken");
    assertThat(atWork.<String>take(() -> "free again")).isEqualTo("free again");
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
