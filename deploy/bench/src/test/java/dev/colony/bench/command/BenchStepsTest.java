package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.ColonyProcess;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Main;
import dev.colony.cli.Rig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A benchmark that is killed in the middle goes on; its journal holds every step once. */
class BenchStepsTest {

  private static final Pattern RESUME = Pattern.compile("bench steps --resume (\\S+)");

  @TempDir private Path state;
  private Process killed;

  @AfterEach
  void stop() {
    if (killed != null) {
      killed.destroyForcibly();
    }
  }

  @Test
  @Tag("faults")
  void theProcessIsKilled() throws IOException {
    killedAndResumed(20, 50, false);
  }

  @Test
  void theProcessAndItsRedisAreKilled() throws IOException {
    killedAndResumed(20, 50, true);
  }

  @Test
  @Tag("faults")
  void theProcessAndItsRedisAreKilledUnderLoad() throws IOException {
    killedAndResumed(200, 100, true);
  }

  @Test
  void severalNodesTakeThemAmongAgentsThatDoNothing() {
    Finished done =
        CommandLineRun.of(
            line(
                4,
                5,
                "--nodes",
                "2",
                "--idle",
                "30",
                "--rounds",
                "2",
                "--warm-up",
                "0",
                "--fsync",
                "no"));

    assertThat(done.status()).as(done.err()).isZero();
    JsonNode report = done.json();
    assertThat(report.path("stepsInJournal").asLong()).isEqualTo(2 * 4 * 5);
    assertThat(report.path("rounds")).hasSize(2);
    for (JsonNode round : report.path("rounds")) {
      assertThat(round.path("appendsPerStep").asDouble()).isGreaterThanOrEqualTo(1);
      for (String figure : List.of("ceilingBefore", "ceilingBehind", "ratio", "cpuMicrosPerStep")) {
        assertThat(round.path(figure).asDouble()).as(figure).isPositive();
      }
    }
    assertThat(report.path("machine").path("processors").asInt()).isPositive();
    assertThat(report.path("loadAverage")).hasSize(2);
  }

  private void killedAndResumed(int agents, int steps, boolean redisToo) throws IOException {
    Path said = state.resolve("said.txt");
    killed =
        begin(said, line(agents, steps, "--fsync", "always", "--rounds", "1", "--warm-up", "1"));
    String runId = await().atMost(ColonyProcess.LONGEST).until(() -> named(said), Objects::nonNull);
    Path directory = state.resolve("bench").resolve(runId);
    ServerSettings settings = ServerSettings.in(directory);
    await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> RedisServerProcess.find(settings).isPresent());
    RedisServerProcess redis = RedisServerProcess.find(settings).orElseThrow();
    try {
      long done = killInTheMiddle(killed, said, redis, runId);
      assertThat(done).as("events in the journal at the kill").isBetween(1L, 2L * agents * steps);
      if (redisToo) {
        Rig.kill(redis.pid());
      }
      Finished resumed =
          CommandLineRun.of(line(agents, steps, "--fsync", "always", "--resume", runId));
      assertThat(resumed.status()).as(resumed.err()).isZero();
      JsonNode report = resumed.json();
      assertThat(report.path("stepsInJournal").asLong()).isEqualTo((long) agents * steps);
      assertThat(report.path("stepsLostOrDoubled").asLong()).isZero();
      assertThat(report.path("rounds")).hasSize(1);
      assertThat(directory).doesNotExist();
      assertThat(RedisServerProcess.find(settings)).isEmpty();
    } finally {
      if (Files.isDirectory(directory)) {
        RedisServerProcess.find(settings).ifPresent(RedisServerProcess::stop);
      }
    }
  }

  /** In a JVM of its own, which is started once and needs no cache of classes. */
  private static Process begin(Path said, String... arguments) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    line.addAll(List.of(arguments));
    try {
      return new ProcessBuilder(line)
          .redirectOutput(Redirect.DISCARD)
          .redirectError(said.toFile())
          .start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The name of the run that a bench has said; null until it has. */
  private static String named(Path said) throws IOException {
    Matcher resume = RESUME.matcher(Files.readString(said));
    return resume.find() ? resume.group(1) : null;
  }

  /** Kills it when the first of its agents has begun; how many events were in the journal then. */
  private static long killInTheMiddle(
      Process process, Path said, RedisServerProcess redis, String runId) throws IOException {
    try (RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(10))) {
      String journals = "colony:{j-*}:e:bench/" + runId + "/agent-*";
      await()
          .atMost(ColonyProcess.LONGEST)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> !process.isAlive() || !keys(connections, journals).isEmpty());
      assertThat(process.isAlive()).as(Files.readString(said)).isTrue();
      process.destroyForcibly().onExit().join();
      return keys(connections, journals).stream()
          .mapToLong(key -> connections.commands().xlen(key).toCompletableFuture().join())
          .sum();
    }
  }

  private static List<String> keys(RedisConnections connections, String pattern) {
    return connections.commands().keys(pattern).toCompletableFuture().join();
  }

  private String[] line(int agents, int steps, String... more) {
    List<String> line = new ArrayList<>(List.of("bench", "steps", "--json"));
    line.addAll(List.of("--agents", Integer.toString(agents)));
    line.addAll(List.of("--steps", Integer.toString(steps)));
    line.addAll(List.of("--payload", "8192"));
    line.addAll(List.of("--state", state.toString()));
    line.addAll(List.of(more));
    return line.toArray(String[]::new);
  }
}
