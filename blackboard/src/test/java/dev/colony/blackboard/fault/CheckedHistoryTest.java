package dev.colony.blackboard.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisDoor;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.TestRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls are recorded while their server is killed, paused and cut off, and a checker of others,
 * porcupine, says whether they are linearizable: docs/design/history.md.
 */
@Tag("faults")
class CheckedHistoryTest {

  private static final int HISTORIES = 8;
  private static final int FAULTS = 10;
  private static final int CALLS_PER_FAULT = 40;

  private static final List<Scope> SCOPES =
      List.of(Scope.session("t", "c", "s"), Scope.colony("t", "c").namespace("n"));

  /** Shorter than an outage: the callers do not know what came of the calls in it. */
  private static final Duration HASTY = Duration.ofMillis(800);

  private static final Duration PATIENT = Duration.ofSeconds(30);

  @TempDir private static Path folder;

  private static Path checker;

  /** What the checker says. */
  private record Verdict(int status, String said) {}

  @BeforeAll
  static void build() throws Exception {
    Path sources = Path.of("src/test/go/history").toAbsolutePath();
    checker = folder.resolve("history");
    try {
      Process go =
          new ProcessBuilder("go", "build", "-o", checker.toString(), ".")
              .directory(sources.toFile())
              .redirectErrorStream(true)
              .start();
      String said = new String(go.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(go.waitFor()).as(said).isZero();
    } catch (IOException missing) {
      Assumptions.abort("the checker is a Go program; install Go 1.21 or newer: " + missing);
    }
  }

  @Test
  void historiesUnderFaultsAreLinearizable() throws Exception {
    long seed = Seed.next("histories");
    for (int n = 0; n < HISTORIES; n++) {
      Verdict verdict = check(underFaults(seed + n));
      assertThat(verdict.status()).as("seed %d: %s", seed + n, verdict.said()).isZero();
      System.out.println("history of seed " + (seed + n) + ": " + verdict.said().strip());
    }
  }

  @Test
  void aServerThatLosesWhatItAcknowledgedIsFound() throws Exception {
    long seed = Seed.next("lost tail");
    try (TornFile torn = new TornFile();
        RedisConnections redis = connect(torn.door(), PATIENT);
        RedisBlackboards blackboards = new RedisBlackboards(redis, BlackboardSettings.DEFAULTS)) {
      RecordedCalls calls = new RecordedCalls(List.of(blackboards), SCOPES, seed);
      for (Runnable between : List.<Runnable>of(torn::keepUntilHere, torn::lose, () -> {})) {
        calls.allow(CALLS_PER_FAULT);
        calls.run(CALLS_PER_FAULT, () -> {});
        between.run();
      }
      Verdict verdict = check(calls.recorded());
      assertThat(verdict.status()).as("seed %d: %s", seed, verdict.said()).isEqualTo(1);
    }
  }

  @Test
  void aReadOfWhatWasThereBeforeIsFound() throws Exception {
    long seed = Seed.next("stale read");
    try (TestRedis redis = TestRedis.start();
        RedisConnections connections = new RedisConnections(redis.uri(), PATIENT);
        RedisBlackboards blackboards =
            new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      RecordedCalls calls = new RecordedCalls(List.of(blackboards), SCOPES, seed);
      calls.allow(CALLS_PER_FAULT);
      calls.run(CALLS_PER_FAULT, () -> {});
      List<ObjectNode> lines = calls.recorded();
      assertThat(check(lines).status()).as("seed %d", seed).isZero();
      stale(lines);
      assertThat(check(lines).status()).as("seed %d", seed).isEqualTo(1);
    }
  }

  /** Has the last client find, where it reads the end, what somebody else wrote before. */
  private static void stale(List<ObjectNode> lines) {
    ObjectNode last = lines.getLast();
    for (JsonNode found : last.path("read")) {
      if (found instanceof ObjectNode entry) {
        String stands = entry.path("by").asText();
        entry.put(
            "by",
            lines.stream()
                .filter(line -> line.has("write") && line.get("scope").equals(last.get("scope")))
                .map(line -> line.path("name").asText())
                .filter(name -> !name.equals(stands))
                .findFirst()
                .orElseThrow());
        return;
      }
    }
    throw new AssertionError("every key was deleted at the end: another seed");
  }

  private static List<ObjectNode> underFaults(long seed) throws Exception {
    Random random = new Random(seed);
    try (TestRedis redis = TestRedis.start();
        RedisDoor door = new RedisDoor(redis.port());
        RedisConnections one = connect(door, HASTY);
        RedisConnections two = connect(door, HASTY);
        RedisBlackboards first = new RedisBlackboards(one, BlackboardSettings.DEFAULTS);
        RedisBlackboards second = new RedisBlackboards(two, BlackboardSettings.DEFAULTS)) {
      AtomicBoolean available = new AtomicBoolean(true);
      one.onAvailability(available::set);
      Victim victim = new Victim(redis, door, available);
      RecordedCalls calls = new RecordedCalls(List.of(first, second), SCOPES, seed);
      calls.run(CALLS_PER_FAULT * (FAULTS + 1), () -> inflict(calls, victim, random));
      return calls.recorded();
    }
  }

  private static void inflict(RecordedCalls calls, Victim victim, Random random) {
    Fault[] faults = Fault.values();
    int round = CALLS_PER_FAULT * calls.clients();
    for (int n = 0; n < FAULTS; n++) {
      calls.allow(CALLS_PER_FAULT);
      int reached = n * round + random.nextInt(round / 8, round / 2);
      await("the calls go on")
          .atMost(Fault.PATIENCE)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> calls.done() >= reached);
      faults[random.nextInt(faults.length)].inflict(victim);
    }
    calls.allow(CALLS_PER_FAULT);
  }

  private static RedisConnections connect(RedisDoor door, Duration timeout) {
    return new RedisConnections(
        door.uri(),
        RedisSettings.withTimeout(timeout)
            .withReconnect(Duration.ofMillis(20), Duration.ofMillis(200))
            .withSilentAfter(timeout.plus(HASTY.dividedBy(2))));
  }

  private static Verdict check(List<ObjectNode> lines) throws Exception {
    Path recorded = Files.createTempFile(folder, "calls", ".jsonl");
    Files.writeString(
        recorded, lines.stream().map(ObjectNode::toString).collect(Collectors.joining("\n")));
    List<String> command = new ArrayList<>(List.of(checker.toString(), recorded.toString()));
    Process porcupine = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(porcupine.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Verdict(porcupine.waitFor(), said);
  }
}
