package dev.colony.client.history;

import static dev.colony.client.history.WrittenAgent.LIFECYCLE;
import static dev.colony.client.history.WrittenAgent.ended;
import static dev.colony.client.history.WrittenAgent.stepped;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.AgentView;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.core.lifecycle.AgentEvent;
import io.lettuce.core.Range;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What agents take of Redis, in its own bytes. */
class StorageTest {

  private static final int EVERY = 250;
  private static final long SEED = 20261122;

  /**
   * Whatever the steps' size, and whether they are of one run or of many: a step costs what it
   * adds.
   */
  @ParameterizedTest
  @CsvSource({"10, 1000", "300, 100", "20000, 1000"})
  void anAgentOfAThousandStepsTakesAtMostThreeTimesWhatTenOfAHundredTake(
      int outputBytes, int stepsPerRun) {
    compare(outputBytes, stepsPerRun);
  }

  @ParameterizedTest
  @Tag("faults")
  @CsvSource({"10, 10", "300, 1000", "5000, 1000"})
  void soItIsBetweenThem(int outputBytes, int stepsPerRun) {
    compare(outputBytes, stepsPerRun);
  }

  private static void compare(int outputBytes, int stepsPerRun) {
    long one = lives(1_000, stepsPerRun, outputBytes);
    long ten = 0;
    for (int i = 0; i < 10; i++) {
      ten += lives(100, Math.min(100, stepsPerRun), outputBytes);
    }
    System.out.printf(
        "steps of %d B, %d in a run: 1 x 1,000 steps take %,d B, 10 x 100 take %,d B: %.2f times%n",
        outputBytes, stepsPerRun, one, ten, (double) one / ten);
    assertThat(one).isLessThanOrEqualTo(3 * ten);
  }

  /** A recovery reads the newest snapshot and what came after it. */
  @Test
  void aRecoveryReadsABoundedPartOfTheJournalHoweverLongItIs() {
    for (int steps : new int[] {1_000, 3_050}) {
      try (WrittenAgent agent = new WrittenAgent(EVERY, "all")) {
        write(agent, steps, 20, 300);
        long behind =
            agent.written()
                - agent
                    .reader()
                    .snapshot(agent.id.persistenceId(), Long.MAX_VALUE)
                    .toCompletableFuture()
                    .join()
                    .orElseThrow()
                    .sequenceNr();
        AgentInspector inspector = new AgentInspector(agent.reader(), LIFECYCLE);
        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          long begun = System.nanoTime();
          inspector.look(agent.id).toCompletableFuture().join();
          micros.add((System.nanoTime() - begun) / 1_000);
        }
        micros.sort(null);
        System.out.printf(
            "%,d steps, %,d events: a recovery reads %,d of them; median %,d us%n",
            steps, agent.written(), behind, micros.get(micros.size() / 2));
        assertThat(behind).isLessThan(EVERY);
      }
    }
  }

  /** A run that never ends is stored within its window, and goes on. */
  @Test
  void aRunOfVeryManyStepsKeepsASnapshotThatFits() {
    try (WrittenAgent agent = new WrittenAgent(EVERY, "all")) {
      int steps = 8_000;
      write(agent, steps, steps, 1_000);
      AgentView read =
          new AgentInspector(agent.reader(), LIFECYCLE)
              .look(agent.id)
              .toCompletableFuture()
              .join()
              .orElseThrow();
      var actions = read.openRun().orElseThrow().actions();
      assertThat(read.runs().getFirst().stats().orElseThrow().steps()).isEqualTo(steps);
      assertThat(actions).hasSizeBetween(2_000, 5_000);
      long newest =
          agent
              .reader()
              .snapshot(agent.id.persistenceId(), Long.MAX_VALUE)
              .toCompletableFuture()
              .join()
              .orElseThrow()
              .sequenceNr();
      assertThat(agent.written() - newest).isLessThan(4L * actions.size());
      System.out.printf(
          "%,d steps of one run: %,d actions before it, snapshots take %,d B, newest at %,d of"
              + " %,d%n",
          steps, actions.size(), snapshots(agent.id), newest, agent.written());
      assertThat(snapshots(agent.id)).isLessThan(2L * (5 << 20));
    }
  }

  private static long lives(int steps, int stepsPerRun, int outputBytes) {
    try (WrittenAgent agent = new WrittenAgent(EVERY, "all")) {
      write(agent, steps, stepsPerRun, outputBytes);
      return snapshots(agent.id) + events(agent.id);
    }
  }

  private static void write(WrittenAgent agent, int steps, int stepsPerRun, int outputBytes) {
    Random random = new Random(SEED);
    agent.journal(agent.born());
    List<AgentEvent> batch = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      int inRun = step % stepsPerRun;
      String run = "r" + step / stepsPerRun;
      if (inRun == 0) {
        batch.add(agent.accepted(run));
      }
      batch.addAll(List.of(stepped(inRun, output(random, outputBytes))));
      if (inRun == stepsPerRun - 1 && step < steps - 1) {
        batch.addAll(List.of(ended(run)));
      }
      if (batch.size() > 40) {
        agent.journal(batch.toArray(AgentEvent[]::new));
        batch.clear();
      }
    }
    agent.journal(batch.toArray(AgentEvent[]::new));
  }

  /** Text that does not compress. */
  private static JsonNode output(Random random, int bytes) {
    byte[] text = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      text[i] = (byte) (' ' + 1 + random.nextInt(90));
    }
    return JsonNodeFactory.instance.textNode(new String(text, StandardCharsets.US_ASCII));
  }

  private static long events(AgentId agent) {
    try (RedisConnections redis = connect()) {
      return redis
          .commands()
          .xrange(key(agent, "e"), Range.unbounded())
          .toCompletableFuture()
          .join()
          .stream()
          .mapToLong(entry -> entry.getBody().get("f").length)
          .sum();
    }
  }

  private static long snapshots(AgentId agent) {
    try (RedisConnections redis = connect()) {
      return redis.commands().hvals(key(agent, "s")).toCompletableFuture().join().stream()
          .mapToLong(frame -> frame.length)
          .sum();
    }
  }

  private static RedisConnections connect() {
    return new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20));
  }

  /** Where the package description of the journal says that it stands. */
  private static String key(AgentId agent, String what) {
    CRC32 crc = new CRC32();
    crc.update(agent.persistenceId().getBytes(StandardCharsets.UTF_8));
    return "colony:{j-" + crc.getValue() % 64 + "}:" + what + ":" + agent.persistenceId();
  }
}
