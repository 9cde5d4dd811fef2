package dev.colony.inference.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.gateway.AdmissionSettings.TenantShare;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node's calls in simulated time: slots serve calls, each as long as it costs. */
class FairnessSimulationTest {

  private static final double SECOND = 1e9;
  private static final double TOKENS_PER_SECOND = 1000;
  private static final int MEAN_TOKENS = 1000;
  private static final int WATCHED_CALLS = 2000;

  private record Call(int number, String tenant, long at, int tokens) {}

  private record Ending(Call call, long at) {}

  private static List<Call> arrivals(Random random, String tenant, double rate, double seconds) {
    List<Call> calls = new ArrayList<>();
    double at = 0;
    while (at < seconds) {
      at += -Math.log(1 - random.nextDouble()) / rate;
      // Log-normal, as the lengths of prompts and replies are; some calls are very large.
      int tokens = (int) (MEAN_TOKENS * Math.exp(random.nextGaussian() - 0.5)) + 1;
      calls.add(new Call(calls.size(), tenant, (long) (at * SECOND), tokens));
    }
    return calls;
  }

  /** How long the light tenant's calls took, from their arrival to their end, in nanoseconds. */
  private static List<Long> times(List<Call> arrivals, int slots, AdmissionSettings settings) {
    AdmissionQueue<Call> queue = new AdmissionQueue<>(settings);
    PriorityQueue<Call> coming = new PriorityQueue<>(Comparator.comparingLong(Call::at));
    coming.addAll(arrivals);
    PriorityQueue<Ending> ending = new PriorityQueue<>(Comparator.comparingLong(Ending::at));
    List<Long> times = new ArrayList<>();
    while (!coming.isEmpty() || !ending.isEmpty()) {
      long now;
      if (ending.isEmpty() || !coming.isEmpty() && coming.peek().at() <= ending.peek().at()) {
        Call call = coming.poll();
        now = call.at();
        // What the gateway can know before: the prompt, and a bound of the reply.
        queue.offer(
            call, new AdmissionRequest(call.tenant(), 0, MEAN_TOKENS, Long.MAX_VALUE / 2), now);
      } else {
        Ending end = ending.poll();
        now = end.at();
        queue.ended(end.call(), end.call().tokens(), now);
        if (end.call().tenant().equals("light")) {
          times.add(now - end.call().at());
        }
      }
      queue
          .dispatch(now, call -> ending.size() < slots && begin(ending, call, now))
          .forEach(admitted -> assertThat(admitted.call()).isNotNull());
    }
    return times;
  }

  private static boolean begin(PriorityQueue<Ending> ending, Call call, long now) {
    return ending.add(new Ending(call, now + (long) (call.tokens() * SECOND / TOKENS_PER_SECOND)));
  }

  private static double p99(List<Long> times) {
    return times.stream().sorted().skip(times.size() * 99 / 100).findFirst().orElseThrow() / SECOND;
  }

  /**
   * @param share of the slots that the light tenant's calls take; the heavy one's are 100 times as
   *     many, so that with a share above 0.01 more comes than can be served
   */
  @ParameterizedTest
  @CsvSource({"1, 8, 0.05", "2, 8, 0.2", "3, 16, 0.05", "4, 32, 0.02", "5, 64, 0.3"})
  void aTenantWithAHundredTimesTheLoadDoesNotDoubleTheOthersTail(
      long seed, int slots, double share) {
    Random random = new Random(seed);
    double rate = share * slots * TOKENS_PER_SECOND / MEAN_TOKENS;
    double seconds = WATCHED_CALLS / rate;
    List<Call> light = arrivals(random, "light", rate, seconds);
    List<Call> both = new ArrayList<>(light);
    both.addAll(arrivals(random, "heavy", 100 * rate, seconds));
    AdmissionSettings settings =
        new AdmissionSettings(4096, new TenantShare(1, 1024, 1_000_000), Map.of());
    double alone = p99(times(light, slots, settings));
    double beside = p99(times(both, slots, settings));
    System.out.printf(
        "seed %d, %d slots, share %.2f: p99 alone %.2f s, beside 100 times the load %.2f s%n",
        seed, slots, share, alone, beside);
    assertThat(beside).isLessThan(2 * alone);
  }
}
