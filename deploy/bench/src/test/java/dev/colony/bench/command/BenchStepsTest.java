package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.ColonyProcess;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A benchmark that is killed in the middle goes on; its journal holds every step once. */
class BenchStepsTest {

  private static final Pattern RESUME = Pattern.compile("bench steps --resume (\\S+)");

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  @Tag("faults")
  void theProcessIsKilled() {
    killedAndResumed(20, 50, false);
  }

  @Test
  void theProcessAndItsRedisAreKilled() {
    killedAndResumed(20, 50, true);
  }

  @Test
  @Tag("faults")
  void theProcessAndItsRedisAreKilledUnderLoad() {
    killedAndResumed(200, 100, true);
  }

  private void killedAndResumed(int agents, int steps, boolean redisToo) {
    ColonyProcess killed = rig.start(line(agents, steps));
    killed.awaitErr("--resume");
    Matcher resume = RESUME.matcher(killed.err());
    assertThat(resume.find()).isTrue();
    String runId = resume.group(1);
    Path directory = rig.state().resolve("bench").resolve(runId);
    ServerSettings settings = ServerSettings.in(directory);
    await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> RedisServerProcess.find(settings).isPresent());
    RedisServerProcess redis = RedisServerProcess.find(settings).orElseThrow();
    try {
      long done = killInTheMiddle(killed, redis, runId);
      assertThat(done).as("events in the journal at the kill").isBetween(1L, 2L * agents * steps);
      if (redisToo) {
        Rig.kill(redis.pid());
      }
      Finished resumed = rig.run(line(agents, steps, "--resume", runId));
      assertThat(resumed.status()).as(resumed.err()).isZero();
      JsonNode report = resumed.json();
      assertThat(report.path("stepsInJournal").asLong()).isEqualTo((long) agents * steps);
      assertThat(report.path("stepsLostOrDoubled").asLong()).isZero();
      assertThat(directory).doesNotExist();
      assertThat(RedisServerProcess.find(settings)).isEmpty();
    } finally {
      if (Files.isDirectory(directory)) {
        RedisServerProcess.find(settings).ifPresent(RedisServerProcess::stop);
      }
    }
  }

  /** Kills it when the first of its agents has begun; how many events were in the journal then. */
  private static long killInTheMiddle(
      ColonyProcess process, RedisServerProcess redis, String runId) {
    try (RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(10))) {
      String journals = "colony:{j-*}:e:bench/" + runId + "/agent-*";
      await()
          .atMost(ColonyProcess.LONGEST)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> !keys(connections, journals).isEmpty());
      process.kill();
      return keys(connections, journals).stream()
          .mapToLong(key -> connections.commands().xlen(key).toCompletableFuture().join())
          .sum();
    }
  }

  private static List<String> keys(RedisConnections connections, String pattern) {
    return connections.commands().keys(pattern).toCompletableFuture().join();
  }

  private static String[] line(int agents, int steps, String... more) {
    List<String> line = new ArrayList<>(List.of("bench", "steps", "--json"));
    line.addAll(List.of("--agents", Integer.toString(agents)));
    line.addAll(List.of("--steps", Integer.toString(steps)));
    line.addAll(
        List.of("--payload", "8192", "--fsync", "always", "--rounds", "1", "--warm-up", "3"));
    line.addAll(List.of(more));
    return line.toArray(String[]::new);
  }
}
