package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.SpanCollector;
import dev.colony.server.node.SpanCollector.Received;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The trace of a run whose node is killed while it waits for the model. */
@Tag("faults")
class TracedNodeLossTest {

  private static final String AGENT = "local/main/reviewer";

  private final Rig rig = new Rig();
  private SpanCollector collector;

  @BeforeEach
  void start() throws IOException {
    collector = new SpanCollector();
    rig.set("OTEL_EXPORTER_OTLP_ENDPOINT", collector.uri());
    rig.set("OTEL_BSP_SCHEDULE_DELAY", "100");
    String model = rig.model().uri().toString();
    assertThat(rig.run("up", "--nodes", "2", "--model-url", model).status()).isZero();
    String file = ProjectRoot.find().resolve("examples/reviewer.json").toString();
    assertThat(rig.run("spawn", file).status()).isZero();
  }

  @AfterEach
  void stop() {
    rig.run("down");
    rig.close();
    collector.close();
  }

  private List<Received> named(String operation) {
    return collector.spans().stream()
        .filter(span -> span.attributes().get("gen_ai.operation.name").equals(operation))
        .toList();
  }

  private List<Long> steps() {
    return named("plan").stream()
        .map(span -> (Long) span.attributes().get("colony.step"))
        .sorted()
        .toList();
  }

  @Test
  void isWholeAndHasEachSpanOnce() {
    Held last = rig.model().hold(call -> call.plans() && call.said().contains(" -> succeeded"));
    ColonyProcess ask = rig.start("ask", AGENT, "Remember \"it ships\"");
    ask.awaitErr("waits for a person");
    assertThat(rig.run("approve", AGENT, "--by", "ann", "--wait", "3m").status()).isZero();
    NodeRecord victim = rig.node(last.await().node());
    List<Long> before =
        rig.run("agents", "steps", AGENT, "--json")
            .json()
            .path("steps")
            .valueStream()
            .map(step -> step.path("step").asLong())
            .toList();
    await().atMost(ColonyProcess.LONGEST).until(() -> steps().equals(before));
    Rig.kill(victim.pid());
    last.release();
    Finished done = ask.await();
    assertThat(done.status()).as(done.err()).isZero();
    await().atMost(ColonyProcess.LONGEST).until(() -> !named("invoke_agent").isEmpty());

    Received root = named("invoke_agent").getFirst();
    Map<String, Received> all =
        collector.spans().stream().collect(Collectors.toMap(Received::id, Function.identity()));
    assertThat(all.values()).extracting(Received::trace).containsOnly(root.trace());
    assertThat(all.values())
        .extracting(Received::node)
        .contains(victim.name())
        .hasSizeGreaterThan(1);
    assertThat(all.values())
        .filteredOn(span -> span != root)
        .allSatisfy(span -> assertThat(all).containsKey(span.parent()));
    long count = (Long) root.attributes().get("colony.steps");
    assertThat(count).isGreaterThan(before.size());
    assertThat(steps()).isEqualTo(LongStream.range(0, count).boxed().toList());
    assertThat(named("chat")).hasSize(2);
    assertThat(named("execute_tool")).isNotEmpty();
    assertThat(named("plan").stream().filter(span -> !span.node().equals(victim.name())))
        .hasSize((int) count - before.size());
  }
}
