package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentRun;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Very many runs of agents that come and go, in sessions that come and go, all kept for seconds:
 * what is stored levels off. {@code -Dsoak.runs} and {@code -Dsoak.keep} take others.
 */
@Tag("faults")
class RetentionSoakTest {

  private static final int RUNS = Integer.getInteger("soak.runs", 200_000);
  private static final String KEEP = System.getProperty("soak.keep", "5s");
  private static final int SAMPLES = 60;
  private static final int AGENTS = 32;
  private static final int AT_ONCE = 256;

  /** By how much the last third may be over the middle one, besides what the pace of runs adds. */
  private static final double MARGIN = 1.2;

  /**
   * @param pace runs in a second since the sample before; what is kept for seconds grows with it
   */
  private record Sample(int runs, double pace, int keys, long bytes) {}

  private final Semaphore places = new Semaphore(AT_ONCE);
  private final AtomicInteger failed = new AtomicInteger();
  private final List<Sample> samples = new ArrayList<>();

  @Test
  void whatIsStoredLevelsOff() throws InterruptedException {
    try (KeptNode kept =
        new KeptNode(
            """
            colony.agent {
              retention { runs = %1$s, progress = %1$s, agents = %1$s, events = %1$s }
              session { keep-runs = %1$s, keep = %1$s }
              history.keep-for = %1$s
              client.keep-signals = %1$s
              passivate-after = 200ms
              placement-units = 8
            }
            """
                .formatted(KEEP),
            Bounds.keeping(Duration.ofMillis(500), 200, Duration.ofMillis(1)))) {
      long began = System.nanoTime();
      int round = RUNS / SAMPLES;
      for (int sample = 0; sample < SAMPLES; sample++) {
        long from = System.nanoTime();
        generation(kept, sample, round);
        double pace = round * 1e9 / (System.nanoTime() - from);
        samples.add(new Sample((sample + 1) * round, pace, kept.keys().size(), kept.usedMemory()));
        System.out.println(samples.getLast());
      }
      long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
      System.out.printf("%d runs in %d s, %d a second%n", RUNS, seconds, RUNS / seconds);
      level("keys", Sample::keys);
      level("bytes", Sample::bytes);
      assertThat(failed).hasValue(0);
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(() -> assertThat(kept.keys()).isEqualTo(RetentionTest.FOR_GOOD));
      System.out.printf("settled at %d bytes%n", kept.usedMemory());
    }
  }

  /** Agents that are spawned, take so many runs, each in a session of its own, and are stopped. */
  private void generation(KeptNode kept, int number, int runs) throws InterruptedException {
    List<AgentHandle> agents = new ArrayList<>();
    for (int i = 0; i < AGENTS; i++) {
      KeptNode.get(kept.sessions().open(new SessionId(session(number, i)), "soak"));
      agents.add(kept.spawn("agent-" + number + "-" + i));
    }
    for (int i = 0; i < runs; i++) {
      places.acquire();
      kept.run(agents.get(i % AGENTS), session(number, i % AGENTS))
          .whenComplete((run, failure) -> {
            if (failure != null || run.status() != AgentRun.Status.COMPLETED) {
              failed.incrementAndGet();
            }
            places.release();
          });
    }
    places.acquire(AT_ONCE);
    places.release(AT_ONCE);
    agents.forEach(agent -> KeptNode.get(agent.stop("its generation is over")));
  }

  private static String session(int generation, int agent) {
    return "s-" + generation + "-" + agent;
  }

  private void level(String what, ToDoubleFunction<Sample> figure) {
    int third = SAMPLES / 3;
    List<Sample> middle = samples.subList(third, 2 * third);
    List<Sample> last = samples.subList(2 * third, SAMPLES);
    double faster = Math.max(1, mean(last, Sample::pace) / mean(middle, Sample::pace));
    System.out.printf(
        "%s: middle third %.0f, last third %.0f at %.2f times its pace%n",
        what, mean(middle, figure), mean(last, figure), faster);
    assertThat(mean(last, figure))
        .as(what + " of the last third")
        .isLessThanOrEqualTo(mean(middle, figure) * MARGIN * faster);
  }

  private static double mean(List<Sample> some, ToDoubleFunction<Sample> figure) {
    return some.stream().mapToDouble(figure).average().orElseThrow();
  }
}
