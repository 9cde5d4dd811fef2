package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.bench.SmallSimulator;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench of the scheduler, on a small trace and with a small simulator. */
class BenchScheduleTest {

  private static final int SESSIONS = 6;
  private static final int TURNS = 6;

  @TempDir private Path folder;
  private Path simulator;
  private Path agents;
  private Path chat;

  /** Six agents whose chains grow; together they need twice the blocks of two caches. */
  @BeforeEach
  void write() throws IOException {
    simulator = SmallSimulator.interpreter(folder);
    StringBuilder lines = new StringBuilder();
    for (int turn = 0; turn < TURNS; turn++) {
      for (int session = 0; session < SESSIONS; session++) {
        long from = 1_000L * session;
        String blocks =
            LongStream.range(from, from + 20 + turn)
                .mapToObj(Long::toString)
                .collect(Collectors.joining(", "));
        lines.append(
            "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": 1, \"hash_ids\": [%s], \"session_id\": \"s%d\", \"deps\": [%s], \"think_ms\": 500}%n"
                .formatted(
                    session,
                    512 * (20 + turn),
                    blocks,
                    session,
                    turn == 0 ? "" : Integer.toString((turn - 1) * SESSIONS + session)));
      }
    }
    agents = folder.resolve("agents.jsonl.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(agents))) {
      out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }
    chat = folder.resolve("chat.jsonl");
    Files.writeString(chat, lines.toString().replaceAll(", \"session_id.*?\\]", ""));
  }

  private Finished bench(Path trace, String... more) {
    List<String> line =
        new ArrayList<>(
            List.of("bench", "schedule", trace.toString(), "--simulator", simulator.toString()));
    line.addAll(List.of("--interpreter", simulator.toString()));
    line.addAll(List.of("--policies", "first,round_robin", "--oracle", "oracle"));
    line.addAll(List.of("--state", folder.resolve("state").toString()));
    line.addAll(List.of(more));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  private static Stream<ProcessHandle> left() {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().commandLine().orElse("").contains("schedule"))
        .filter(ProcessHandle::isAlive);
  }

  @Test
  void agentsAreHeldAgainstPublishedPoliciesInEachVariant() throws IOException {
    Finished finished =
        bench(
            agents,
            "--replicas=2",
            "--cache=30",
            "--declare=next_use",
            "--bound=900,1800",
            "--eviction=hints,touches",
            "--stale=0.5",
            "--json");
    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode result = finished.json().path("results").path(0);
    assertThat(result.path("requests").asInt()).isEqualTo(SESSIONS * TURNS);
    assertThat(result.path("speed").asDouble()).as("a quarter of eight").isEqualTo(0.25);
    assertThat(result.path("pool").path("lruHits").asDouble()).isEqualTo(0.3);
    List<String> variants = new ArrayList<>();
    result
        .path("ours")
        .forEach(own ->
            variants.add(
                String.format(
                    Locale.ROOT,
                    "%s %.0f %s %s",
                    own.path("declared").asText(),
                    own.path("boundSeconds").asDouble(),
                    own.path("eviction").asText(),
                    own.path("staleSeconds").asDouble())));
    assertThat(variants)
        .containsExactly(
            "next use 900 hints 0.0",
            "next use 1800 hints 0.0",
            "next use 900 touches 0.0",
            "next use 900 hints 0.5");
    JsonNode ours = result.path("ours").path(0);
    JsonNode first = result.path("published").path(0);
    JsonNode even = result.path("published").path(1);
    assertThat(first.path("policy").asText()).isEqualTo("first");
    assertThat(ours.path("hits").asDouble())
        .as("it keeps agents where their blocks are")
        .isGreaterThan(Math.max(even.path("hits").asDouble(), first.path("hits").asDouble()));
    double best =
        Math.min(even.path("sessionSeconds").asDouble(), first.path("sessionSeconds").asDouble());
    double oracle = result.path("oracle").path("sessionSeconds").asDouble();
    assertThat(oracle).isLessThan(best);
    assertThat(ours.path("closed").asDouble())
        .isCloseTo((best - ours.path("sessionSeconds").asDouble()) / (best - oracle), within(1e-9));
    assertThat(left()).isEmpty();
    assertThat(folder.resolve("state/bench")).isEmptyDirectory();
  }

  @Test
  void theSameTraceWithoutSessions() {
    Finished finished = bench(chat, "--replicas=2", "--cache=60", "--declare=plan");
    assertThat(finished.status()).as(finished.err()).isZero();
    assertThat(finished.out())
        .contains(
            "## chat.jsonl, 36 requests",
            "### chat.jsonl, 2 replicas of 60 blocks, speed 0.375",
            "Seconds are those of a first token",
            "| this: nothing; bound 900 s; hints |")
        .doesNotContain("turns left");
    assertThat(bench(chat, "--replicas=2", "--cache=60", "--requests=36").out())
        .contains("## chat.jsonl, the first 36 of 36 requests");
    assertThat(bench(chat, "--replicas=2", "--cache=60").out())
        .as("the same figures again")
        .isEqualTo(finished.out());
  }

  @Test
  void whatCannotBeUsedIsSaidInOneLine() throws IOException {
    Path broken = folder.resolve("broken.jsonl");
    Files.writeString(broken, "{\"input_length\": 1, \"hash_ids\": [1]}\n{\"input_length\": 1}\n");
    Path empty = Files.createFile(folder.resolve("empty.jsonl"));
    Path plain = Files.writeString(folder.resolve("plain.jsonl.gz"), "{}\n");
    Rig.assertOneLine(bench(broken), 2, broken + ", line 2: no request");
    Rig.assertOneLine(bench(empty), 2, "has no requests");
    Rig.assertOneLine(bench(plain), 2, plain.toString());
    Rig.assertOneLine(bench(folder.resolve("none.jsonl")), 2, "none.jsonl: no file");
    Rig.assertOneLine(
        bench(agents, "--policies=clever"),
        2,
        "KeyError: 'clever'",
        "clever, oracle on agents.jsonl.gz");
    Rig.assertOneLine(bench(agents, "--replicas=0"), 2, "--replicas is 0");
    Rig.assertOneLine(bench(agents, "--lose=2"), 2, "--lose is 2.0");
    Rig.assertOneLine(bench(agents, "--bound=NaN"), 2, "--bound is NaN");
    Rig.assertOneLine(bench(agents, "--policies=a b"), 2, "no policy's name");
    Rig.assertOneLine(
        CommandLineRun.of(
            "bench",
            "schedule",
            agents.toString(),
            "--simulator=" + simulator,
            "--interpreter=" + folder.resolve("none"),
            "--state=" + folder.resolve("state")),
        2,
        "cannot run " + folder.resolve("none"));
    assertThat(left()).isEmpty();
  }
}
