package dev.colony.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.colony.bench.engine.EngineReplay.Arrivals;
import dev.colony.bench.engine.EngineReplay.Engines;
import dev.colony.bench.engine.EngineReplay.Played;
import dev.colony.replica.kv.Scheduler.Limits;
import dev.colony.replica.kv.TimeModel;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The engine makes of recorded decisions what a simulator of such engines has made of them. The
 * requests are 24 made-up agents of 6 to 12 turns over two replicas.
 */
class EngineReplayTest {

  private static final TimeModel TIME = TimeModel.LLAMA_70B_2XH100;

  @TempDir private Path folder;

  private static Stream<Arguments> recordings() {
    return Stream.of(Arrivals.values())
        .flatMap(arrivals ->
            Stream.of(
                // Agents are held back until they fit.
                Arguments.of("agents-held-back-120.jsonl.gz", 120, arrivals),
                // Calls go by the longest cached prefix.
                Arguments.of("agents-by-prefix-240.jsonl.gz", 240, arrivals)));
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void hitsAreWithinOnePercentAndFirstTokensWithinTen(
      String decisions, int blocks, Arrivals arrivals) throws Exception {
    Recording recording = recording(decisions);
    EngineReport report = EngineReport.of(recording, engines(blocks), arrivals);
    assertThat(report.requests()).isEqualTo(218);
    assertThat(report.hitsApart()).isCloseTo(0, within(0.01));
    assertThat(report.meanApart()).isCloseTo(0, within(0.10));
    assertThat(report.recorded().hits()).isGreaterThan(0.5);
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void everyRequestGoesWhereItWasSentAtItsTime(String decisions, int blocks, Arrivals arrivals)
      throws Exception {
    Recording recording = recording(decisions);
    List<Played> played = new EngineReplay(engines(blocks), arrivals, recording).run();
    for (int number = 0; number < played.size(); number++) {
      Played one = played.get(number);
      TracedCall call = recording.calls().get(number);
      Decision decision = recording.decisions().get(number);
      assertThat(one.replica()).isEqualTo(decision.replica());
      assertThat(one.arrived() + one.firstTokenSeconds())
          .isGreaterThanOrEqualTo(decision.notBefore());
      assertThat(one.hitBlocks()).isLessThan(call.blocks().length);
      switch (arrivals) {
        case RECORDED -> assertThat(one.arrived()).isEqualTo(decision.arrivedAt());
        case FOLLOWING -> {
          for (int before : call.after()) {
            assertThat(one.arrived())
                .isCloseTo(played.get(before).ended() + call.thinkSeconds(), within(1e-9));
          }
        }
      }
    }
  }

  @Test
  void equalRecordingsGiveEqualFigures() throws Exception {
    Recording recording = recording("agents-held-back-120.jsonl.gz");
    assertThat(EngineReport.of(recording, engines(120), Arrivals.FOLLOWING))
        .isEqualTo(EngineReport.of(recording, engines(120), Arrivals.FOLLOWING));
  }

  @Test
  void whatIsToBeDroppedIsEvictedFirst() throws Exception {
    // Three prompts of two blocks each into a cache of four; then the first again.
    String[] calls = new String[4];
    for (int i = 0; i < 4; i++) {
      calls[i] =
          "{\"timestamp\":%d,\"input_length\":1024,\"output_length\":1,\"hash_ids\":[%d,%d]}"
              .formatted(10_000 * i, 10 * (i % 3), 10 * (i % 3) + 1);
    }
    assertThat(hits(calls, "")).containsExactly(0, 0, 0, 0);
    assertThat(hits(calls, ",\"drop_after\":[10,11]")).containsExactly(0, 0, 0, 1);
  }

  private List<Integer> hits(String[] calls, String secondHas) throws IOException {
    String[] decisions = new String[calls.length];
    Arrays.setAll(
        decisions,
        i ->
            "{\"i\":%d,\"replica\":0,\"arrive\":0,\"hit_blocks\":0,\"ttft\":1%s}"
                .formatted(i, i == 1 ? secondHas : ""));
    Recording recording = Recording.read(write("t", calls), write("d", decisions), 0, 1);
    Engines one = new Engines(1, 4, limits(), TIME);
    return new EngineReplay(one, Arrivals.FOLLOWING, recording)
        .run().stream().map(Played::hitBlocks).toList();
  }

  @Test
  void whatIsNoRecordingIsRefusedWithItsLine() throws Exception {
    Path trace = write("t", "{\"input_length\":5,\"hash_ids\":[1]}", "{\"input_length\":5}");
    Path none = write("d", "{\"i\":0,\"replica\":0,\"arrive\":0,\"hit_blocks\":0,\"ttft\":1}");
    refused("t, line 2: no request: input_length and hash_ids are wanted", trace, none, 0);
    Path two =
        write(
            "t", "{\"input_length\":5,\"hash_ids\":[1]}", "{\"input_length\":5,\"hash_ids\":[1]}");
    refused("has no decision for request 1", two, none, 0);
    assertThat(Recording.read(two, none, 1, 1).calls()).hasSize(1);
    refused("d, line 1: no decision: i is wanted", two, write("d", "{}"), 0);
  }

  private static void refused(String part, Path trace, Path decisions, int limit) {
    assertThatThrownBy(() -> Recording.read(trace, decisions, limit, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(part);
  }

  private Path write(String name, String... lines) throws IOException {
    return Files.write(folder.resolve(name), List.of(lines));
  }

  private static Recording recording(String decisions) throws IOException, URISyntaxException {
    return Recording.read(resource("agents.jsonl.gz"), resource(decisions), 0, 1);
  }

  static Path resource(String name) throws URISyntaxException {
    return Path.of(EngineReplayTest.class.getResource(name).toURI());
  }

  private static Engines engines(int blocks) {
    return new Engines(2, blocks, limits(), TIME);
  }

  private static Limits limits() {
    return new Limits(512, 256, 2048, TIME.attentionTokens(), true);
  }
}
