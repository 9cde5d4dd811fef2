package dev.colony.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String HEADER = "00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final AgentId AGENT = new AgentId("acme", "lab", "one");
  private static final ExecutionContext CONTEXT = ExecutionContext.of(AGENT, new RunId("r-1"));

  @Test
  void aHeaderIsReadAndWritten() {
    TraceParent read = TraceParent.parse(HEADER).orElseThrow();
    assertThat(read).isEqualTo(new TraceParent(TRACE, "00f067aa0ba902b7", true));
    assertThat(read).hasToString(HEADER);
    assertThat(TraceParent.parse(HEADER.replace("-01", "-00")).orElseThrow().sampled()).isFalse();
    assertThat(TraceParent.parse("01" + HEADER.substring(2) + "-more")).contains(read);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00-" + TRACE + "-00f067aa0ba902b7",
        "ff-" + TRACE + "-00f067aa0ba902b7-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"
      })
  void whatIsNoHeaderIsNone(String header) {
    assertThat(TraceParent.parse(header)).isEmpty();
  }

  @Test
  void theSpanOfARunIsTheSameWheneverAndWhereverItIsAskedFor() {
    TraceParent span = TraceParent.of(AGENT, CONTEXT);
    assertThat(span).isEqualTo(TraceParent.of(AGENT, CONTEXT));
    assertThat(TraceParent.parse(span.toString())).contains(span);
    TraceParent child = TraceParent.of(AGENT, CONTEXT.traceparent(span).sets(new RunId("r-2")));
    assertThat(child.traceId()).isEqualTo(span.traceId());
    assertThat(child.spanId()).isNotEqualTo(span.spanId());
  }

  @Test
  void runsOfOneNameAreTwoSpansOfTwoAgentsAndOfTwoTracesOfTwoTenants() {
    TraceParent one = TraceParent.of(AGENT, CONTEXT);
    TraceParent other = TraceParent.of(new AgentId("acme", "lab", "two"), CONTEXT);
    assertThat(other.traceId()).isEqualTo(one.traceId());
    assertThat(other.spanId()).isNotEqualTo(one.spanId());
    AgentId foreign = new AgentId("evil", "lab", "one");
    assertThat(TraceParent.traceId(ExecutionContext.of(foreign, CONTEXT.run())))
        .isNotEqualTo(one.traceId());
  }

  @Test
  void aRunIsOfTheTraceThatSetItOff() {
    TraceParent caller = TraceParent.parse(HEADER).orElseThrow();
    assertThat(TraceParent.of(AGENT, CONTEXT.traceparent(caller)).traceId()).isEqualTo(TRACE);
  }

  @Test
  void aStoredRequestKeepsIt() {
    TraceParent caller = TraceParent.parse(HEADER).orElseThrow();
    RunRequest request =
        new RunRequest(
            CONTEXT.traceparent(caller), "run", IntNode.valueOf(1), "client", Instant.EPOCH);
    ObjectNode json = request.toJson();
    assertThat(RunRequest.fromJson(json)).isEqualTo(request);
    json.remove(TraceParent.HEADER);
    assertThat(RunRequest.fromJson(json).context().traceparent()).isEqualTo(Optional.empty());
  }
}
