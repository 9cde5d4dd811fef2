package dev.colony.node.resumption;

import static dev.colony.agent.ResumptionCondition.any;
import static dev.colony.node.resumption.ResumptionFixture.join;
import static dev.colony.node.resumption.ResumptionFixture.suspension;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.ChildrenCompleted;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.vcm.store.InFlight;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hundred thousand who wait: what one evaluation costs among them, printed. */
@Tag("faults")
class ManyWaitersTest {

  private static final int WAITERS = 100_000;
  private static final int MEASURED = 3_000;

  @Test
  @Timeout(900)
  void oneOfThemIsEvaluatedWithoutTheOthers() {
    TestRedis redis = TestRedis.start(Fsync.NO);
    RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(60));
    try (Blackboards boards = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      ResumptionFixture it = new ResumptionFixture(boards);
      AgentId awaited = it.agent("awaited");
      it.isIn(awaited, AgentState.RUNNING);
      ResumptionCondition until =
          any(
              new ChildrenCompleted(List.of(awaited)),
              new Custom("go"),
              new At(ResumptionFixture.NOW.plusSeconds(3_600)));
      measure(it, "evaluation among none", it.agent("alone"), until);
      long begun = System.nanoTime();
      join(
          InFlight.map(
              IntStream.range(0, WAITERS).boxed().toList(),
              256,
              i -> it.resumptions.enter(waiter(it, i), suspension(1, new Custom("go")))));
      System.out.printf("entered %,d agents, %,.0f a second%n", WAITERS, WAITERS / seconds(begun));
      measure(it, "evaluation among %,d".formatted(WAITERS), it.agent("one"), until);
      Random random = new Random(7);
      long[] nanos = new long[MEASURED];
      for (int i = 0; i < MEASURED; i++) {
        AgentId agent = waiter(it, random.nextInt(WAITERS));
        long start = System.nanoTime();
        join(it.resumptions.happened(new Trigger.Signalled(agent, "stay")));
        nanos[i] = System.nanoTime() - start;
      }
      print("a signal that no agent waits for, durable", nanos);
      begun = System.nanoTime();
      it.sweep();
      System.out.printf("swept, %,.0f agents a second%n", WAITERS / seconds(begun));
      assertThat(it.happened(new Trigger.Signalled(waiter(it, 4_711), "go"))).isEqualTo(1);
    } finally {
      connections.close();
      redis.close();
    }
  }

  /** Reads the entry, finds out what is so, and decides. */
  private static void measure(
      ResumptionFixture it, String what, AgentId agent, ResumptionCondition until) {
    it.enter(agent, 1, until);
    Function<Integer, Long> once =
        i -> {
          long start = System.nanoTime();
          assertThat(it.happened(new Trigger.CapacityFreed(agent))).isZero();
          return System.nanoTime() - start;
        };
    for (int i = 0; i < MEASURED; i++) {
      once.apply(i);
    }
    print(what, IntStream.range(0, MEASURED).mapToLong(once::apply).toArray());
    join(it.resumptions.leave(agent, 1));
  }

  private static void print(String what, long[] nanos) {
    Arrays.sort(nanos);
    System.out.printf(
        "%s: p50 %.3f ms, p99 %.3f ms%n",
        what, nanos[nanos.length / 2] / 1e6, nanos[nanos.length * 99 / 100] / 1e6);
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private static AgentId waiter(ResumptionFixture it, int number) {
    return it.agent("w-" + number);
  }
}
