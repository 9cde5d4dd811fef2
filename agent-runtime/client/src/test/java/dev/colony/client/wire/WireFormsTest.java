package dev.colony.client.wire;

import static dev.colony.client.wire.OverTheWire.sent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions.Page;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.RequestProtocol;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import dev.colony.client.wire.RequestBody.RunRequestBody;
import dev.colony.client.wire.WireJson.RunEvent;
import dev.colony.client.wire.WireJson.RunState;
import dev.colony.client.wire.WireJson.SessionPages.SessionPage;
import dev.colony.client.wire.WireJson.SessionPages.SessionRunPage;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked for and answered over HTTP comes out as it went in. */
class WireFormsTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "a");
  private static final RunId RUN = new RunId("r1");
  private static final Instant AT = Instant.parse("2026-11-22T10:11:12.000345Z");
  private static final RunStats STATS =
      new RunStats(2, 3, new Usage(100, 40, 10), 1, 0, new BigDecimal("0.00024"), List.of("gpt-5"));
  private static final AgentRun ENDED =
      new AgentRun(
          RUN,
          AgentRun.Status.FAILED,
          IntNode.valueOf(7),
          Optional.of("fell short\nof \u2028 it"),
          STATS,
          Optional.of(new SessionId("s1")),
          Map.of("part", TextNode.valueOf("x")),
          List.of("ask first"),
          true);

  /** Protocols are the same where their types are. */
  private static final RecursiveComparisonConfiguration SPOKEN =
      RecursiveComparisonConfiguration.builder()
          .withEqualsForFields((one, other) -> one.getClass() == other.getClass(), "protocol")
          .build();

  @Test
  void aRunIsAskedForAsItsOptionsSay() {
    RunOptions options =
        RunOptions.namespace("work")
            .protocol(new WorkAssignmentProtocol())
            .scope(ScopeLevel.SESSION)
            .session(new SessionId("s1"))
            .runId(RUN)
            .requestedBy("ci");
    ExecutionContext context = ExecutionContext.of(AGENT, new RunId("first"));
    RunRequestBody order =
        RunRequestBody.of(TextNode.valueOf("do it"), options, RUN, Optional.of(context));
    RunRequestBody read = RunRequestBody.fromJson(sent(order.toJson()));
    assertThat(read).isEqualTo(order);
    assertThat(read.options()).usingRecursiveComparison(SPOKEN).isEqualTo(options);
    assertThat(read.caller().orElseThrow().context("acme", "lab")).isEqualTo(context);
    assertThat(RunAddress.options(RunAddress.parameters(options)))
        .usingRecursiveComparison(SPOKEN)
        .isEqualTo(
            RunOptions.namespace("work")
                .protocol(new WorkAssignmentProtocol())
                .scope(ScopeLevel.SESSION)
                .session(new SessionId("s1")));
  }

  @Test
  void whatIsLeftOutIsTheDefault() throws Exception {
    RunRequestBody order = RunRequestBody.fromJson(parse("{'input': null, 'namespace': 'work'}"));
    assertThat(order.input()).isEqualTo(NullNode.getInstance());
    assertThat(order.options())
        .usingRecursiveComparison(SPOKEN)
        .isEqualTo(RunOptions.namespace("work"));
    assertThat(RunAddress.parameters(RunOptions.namespace("work")))
        .isEqualTo(Map.of("namespace", "work"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'input': 1}",
        "{'namespace': 'work'}",
        "{'input': 1, 'namespace': 4}",
        "{'input': 1, 'namespace': true}",
        "{'input': 1, 'namespace': 'work', 'requestedBy': 1.5}",
        "{'input': 1, 'namespace': 'work', 'protocol': 'java.lang.Object'}",
        "{'input': 1, 'namespace': 'work', 'scope': 'world'}",
        "{'input': 1, 'namespace': 'work', 'sessionId': 'no/session'}",
        "{'input': 1, 'namespace': 'work', 'runId': 7}",
        "{'input': 1, 'namespace': 'work', 'unheardOf': 1}",
        "{'input': 1, 'namespace': 'work', 'caller': {'runId': '/'}}",
        "[]",
        "null",
        "7"
      })
  void whatIsNoRequestIsRefusedOnOneLine(String body) throws Exception {
    JsonNode json = parse(body);
    assertThatThrownBy(() -> RunRequestBody.fromJson(json))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .isNotBlank()
        .hasLineCount(1);
    assertThatThrownBy(() -> RequestBody.read(json, RequestBody.Spawn.class))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .isNotBlank()
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"'in:8h'", "{}", "{'type': 'LATER'}"})
  void aConditionThatIsNoneIsToldWhatOneIs(String until) throws Exception {
    JsonNode json = parse("{'until': " + until + "}");
    assertThatThrownBy(() -> RequestBody.read(json, RequestBody.Suspend.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("until: a condition is an object whose type is")
        .hasMessageMatching(".*(ANY|not: LATER)");
  }

  @Test
  void aProtocolOfOnesOwnDoesNotTravel() {
    RequestProtocol own =
        new RequestProtocol("request:x:{id}", "result:x:{id}", "event:x:{id}:{name}") {};
    assertThatThrownBy(() -> RunAddress.parameters(RunOptions.namespace("work").protocol(own)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("AgentRunProtocol or WorkAssignmentProtocol");
  }

  @Test
  void everyOrderComesBack() {
    for (RequestBody body :
        List.of(
            new RequestBody.Spawn("a", AgentBlueprint.of(Blueprint.of("test.any"))),
            new RequestBody.Suspend(
                Optional.of("why"), Optional.of(new ResumptionCondition.Approved("lead"))),
            new RequestBody.Suspend(Optional.empty(), Optional.empty()),
            new RequestBody.ForReason(Optional.of("why")),
            new RequestBody.Approval(false, "ann", Optional.of("once")),
            new RequestBody.Cancel(Optional.of("why"), Optional.of("ci")),
            new RequestBody.Fork(118, "second-try"),
            new RequestBody.Open(Optional.of("me")),
            new RequestBody.Close(Optional.of("me"), Optional.empty()))) {
      assertThat(RequestBody.read(sent(body.toJson()), body.getClass())).isEqualTo(body);
    }
  }

  @Test
  void answersComeBack() {
    for (Optional<AgentRun> run : List.of(Optional.<AgentRun>empty(), Optional.of(ENDED))) {
      RunState state = new RunState(RUN, run);
      assertThat(back(state)).isEqualTo(state);
      run.ifPresent(
          end -> assertThat(WireJson.write(end)).as("one form everywhere").isEqualTo(end.toJson()));
    }
    AgentStatus status = new AgentStatus(AgentState.FAILED, Optional.of("why"), AT);
    assertThat(back(status)).isEqualTo(status);
    RunProgress step =
        new RunProgress(RUN, "step", TextNode.valueOf("a\nb"), AT, "1-2-3.abc", Optional.empty());
    RunProgress end =
        new RunProgress(RUN, "failed", ENDED.toJson(), AT, "1-2-3.abc", Optional.of(ENDED));
    assertThat(RunEvent.read(sent(WireJson.write(RunEvent.of(step))))).isEqualTo(step);
    assertThat(RunEvent.read(sent(WireJson.write(RunEvent.of(end))))).isEqualTo(end);
    assertThat(WireJson.write(RunEvent.of(step)).toString()).doesNotContain("\n");
  }

  @Test
  void sessionsComeBackWithTheirTotals() {
    Session open =
        new Session(
            new SessionId("s1"), "me", AT, Optional.empty(), new SessionTotals(5, 1, 2, 1, STATS));
    Session closed =
        new Session(
            new SessionId("s2"),
            "me",
            AT,
            Optional.of(new Session.Closing(AT, "you", "enough")),
            SessionTotals.NONE);
    Page<Session> page = new Page<>(List.of(open, closed), Optional.of("s2"));
    assertThat(back(SessionPage.of(page)).page()).isEqualTo(page);
    assertThat(back(open)).isEqualTo(open);
    SessionRun run =
        new SessionRun(
            AGENT,
            "work",
            RUN,
            "trace",
            SessionRun.Status.FAILED,
            "me",
            AT,
            Optional.of(AT),
            STATS,
            Optional.of("why"),
            true);
    Page<SessionRun> runs = new Page<>(List.of(run), Optional.empty());
    assertThat(back(SessionRunPage.of(runs)).page()).isEqualTo(runs);
  }

  @Test
  void anAnswerThatIsNoneSaysSo() {
    JsonNode junk = JsonNodeFactory.instance.objectNode().put("state", "ASLEEP");
    assertThatThrownBy(() -> WireJson.answer("status of an agent", junk, AgentStatus.class))
        .isInstanceOf(AgentException.class)
        .hasMessageStartingWith("the answer is no status of an agent");
    assertThatThrownBy(() -> WireJson.answer("run", junk, RunState.class))
        .isInstanceOf(AgentException.class);
    assertThatThrownBy(() -> RunEvent.read(junk)).isInstanceOf(AgentException.class);
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void aFailureOfTheBlackboardKeepsItsReason(Reason reason) {
    Problem problem = Problem.of(new BlackboardException(reason, "4 events are gone"));
    assertThat(problem.retryable()).isEqualTo(reason.retryable());
    assertThat(problem.status() == 503 || problem.status() == 429).isEqualTo(reason.retryable());
    Problem read = Problem.fromJson(sent(WireJson.write(problem)));
    assertThat(read).isEqualTo(problem);
    assertThat(read.failure())
        .isInstanceOf(BlackboardException.class)
        .hasMessage("4 events are gone")
        .matches(failure -> ((BlackboardException) failure).reason() == reason);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRefusalKeepsWhetherTheSameCallMaySucceedLater(boolean retryable) {
    Problem problem = Problem.of(new AgentException("no", null, retryable));
    assertThat(problem.status()).isEqualTo(retryable ? 503 : 409);
    assertThat(Problem.fromJson(sent(WireJson.write(problem))).failure())
        .isInstanceOf(AgentException.class)
        .hasMessage("no")
        .matches(failure -> ((AgentException) failure).retryable() == retryable);
  }

  @Test
  void aFaultOfTheServerSaysNothingOfItself() {
    Problem problem = Problem.of(new IllegalStateException("secret"));
    assertThat(WireJson.write(problem).toString()).doesNotContain("secret");
    assertThat(problem.status()).isEqualTo(500);
    assertThat(Problem.of(new IllegalArgumentException("wrong")).failure())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("wrong");
    assertThat(Problem.fromJson(JsonNodeFactory.instance.objectNode()).status()).isEqualTo(500);
  }

  @SuppressWarnings("unchecked")
  private static <T> T back(T view) {
    return WireJson.answer("one", sent(WireJson.write(view)), (Class<T>) view.getClass());
  }

  private static JsonNode parse(String json) throws Exception {
    return JsonMapper.builder().build().readTree(json.replace('\'', '"'));
  }
}
