package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.EmbeddedReplicaSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents' turns at two embedded replicas that know nothing of each other. */
class BenchReplicasTest {

  @TempDir private Path state;

  private final List<EmbeddedReplica> replicas = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    for (int i = 0; i < 2; i++) {
      replicas.add(
          EmbeddedReplica.start(
              EmbeddedReplicaSettings.fromConfig(
                  ConfigFactory.parseString(
                          "colony.inference.embedded { port = 0, time.factor = 0 }")
                      .withFallback(ConfigFactory.load()))));
    }
  }

  @AfterEach
  void stop() {
    replicas.forEach(EmbeddedReplica::close);
  }

  private Finished measured(String... more) {
    List<String> line =
        Stream.concat(Stream.of("bench", "replicas", "--rounds", "1", "--json"), Stream.of(more))
            .collect(Collectors.toCollection(ArrayList::new));
    replicas.forEach(one -> line.addAll(List.of("--server", one.uri().toString())));
    line.addAll(List.of("--state", state.toString()));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  @Test
  void theGatewayFindsWhatARouterToOneServerFinds() {
    Finished done =
        measured(
            "--sessions",
            "4",
            "--turns",
            "4",
            "--pace",
            "250",
            "--block-words",
            "12",
            "--router",
            "one=" + replicas.getFirst().uri());
    assertThat(done.status()).as(done.err()).isZero();
    JsonNode found = done.json();
    assertThat(found.path("turns").asInt()).as("two have a sub-agent").isEqualTo(4 * 4 + 2 * 2);
    JsonNode ways = found.path("ways");
    assertThat(ways)
        .extracting(way -> way.path("way").asText())
        .containsExactly("colony", "colony_leases", "in_turn", "one");
    for (JsonNode way : ways) {
      assertThat(way.path("failed").asInt()).as(way.toString()).isZero();
      assertThat(way.path("promptTokens").asLong()).isGreaterThan(20 * 16 * 12);
      assertThat(way.path("firstTokenMeanMillis").asDouble()).isPositive();
      assertThat(way.path("sessionSeconds").asDouble()).isPositive();
      assertThat(way.path("fairness").asDouble()).isBetween(1.0 / 4, 1.0);
    }
    double most = found.path("mostHits").asDouble();
    for (JsonNode way : ways) {
      double hits = way.path("hits").asDouble();
      assertThat(hits).as(way.toString()).isPositive().isLessThanOrEqualTo(most);
      assertThat(way.path("ofMostHits").asDouble()).isCloseTo(hits / most, within(0.002));
    }
    // Which turns overlap is chance, so in turn may do as well as the gateway does at its worst.
    assertThat(ways.path(0).path("ofMostHits").asDouble()).isGreaterThan(0.75);
    assertThat(ways.path(1).path("ofMostHits").asDouble()).isGreaterThan(0.75);
    assertThat(ways.path(3).path("busiestServer").asDouble()).isEqualTo(1);
    assertThat(ways.path(3).path("ofMostHits").asDouble()).isGreaterThan(0.9);
    assertThat(state.resolve("bench")).isEmptyDirectory();
  }

  @Test
  void aRecordedTraceIsPlayed() throws IOException {
    Path trace =
        Files.writeString(
            state.resolve("trace.jsonl"),
            """
            {"timestamp":5000,"hash_ids":[1,2,3],"session_id":"a","agent":0,"deps":[],"think_ms":0}
            {"timestamp":5001,"hash_ids":[7,8],"session_id":"b","agent":0,"deps":[],"think_ms":0}
            {"timestamp":5002,"hash_ids":[1,2,3,4],"session_id":"a","agent":0,"deps":[0],"think_ms":9}
            {"timestamp":5003,"hash_ids":[9],"session_id":"c","agent":0,"deps":[],"think_ms":0}
            """);
    Finished done = measured("--trace", trace.toString(), "--sessions", "2");
    assertThat(done.status()).as(done.err()).isZero();
    assertThat(done.json().path("turns").asInt()).isEqualTo(3);
    assertThat(done.json().path("mostHits").asDouble()).isEqualTo(Math.round(3000 / 9.0) / 1000.0);

    Files.writeString(trace, "{\"timestamp\":1,\"session_id\":\"a\"}\n");
    Rig.assertOneLine(
        measured("--trace", trace.toString()),
        2,
        "--trace %s, line 1, is no request of a trace".formatted(trace));
  }

  @Test
  void whatCannotBeMeasuredIsRefused() {
    Rig.assertOneLine(
        CommandLineRun.of("bench", "replicas", "--server", "http://127.0.0.1:1"),
        2,
        "--server is given once: give two or more");
  }
}
