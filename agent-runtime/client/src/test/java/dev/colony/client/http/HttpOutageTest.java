package dev.colony.client.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.ClientSettings;
import dev.colony.client.Follower;
import dev.colony.client.RunPlace;
import dev.colony.client.http.ColonyApi.HttpBounds;
import dev.colony.client.wire.Problem;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.RunEvent;
import dev.colony.client.wire.WireJson.RunState;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a handle over HTTP makes of servers that fail, leave, are busy or fall silent. */
class HttpOutageTest {

  private static final AgentId ID = new AgentId("acme", "lab", "a");
  private static final RunId RUN = new RunId("r1");
  private static final RunOptions OPTIONS = RunOptions.namespace("work").runId(RUN);
  private static final AgentRun END = AgentRun.completed(RUN, IntNode.valueOf(7), RunStats.NONE);
  private static final String ACCEPTED = "{\"runId\": \"r1\"}";
  private static final String UNDER_WAY =
      WireJson.write(new RunState(RUN, Optional.empty())).toString();
  private static final String ENDED =
      WireJson.write(new RunState(RUN, Optional.of(END))).toString();
  private static final String BUSY =
      WireJson.write(Problem.of(new AgentException("a node leaves", null, true))).toString();

  private static final String LOST =
      WireJson.write(
              new Problem(
                  410, Problem.RUN_LOST, "lost", "gone since noon", false, Optional.empty()))
          .toString();

  private static final int MOST_EVENT_BYTES = 16 * 1024;

  private final ScriptedApi api = new ScriptedApi();

  @AfterEach
  void close() {
    api.close();
  }

  private AgentHandle agent() {
    return agent(Duration.ofMinutes(1), Duration.ofSeconds(45));
  }

  private AgentHandle hasty(Duration giveUp) {
    return agent(giveUp, Duration.ofSeconds(45));
  }

  private AgentHandle noticing(Duration silence) {
    return agent(Duration.ofMinutes(1), silence);
  }

  private AgentHandle agent(Duration giveUp, Duration silence) {
    HttpBounds bounds =
        new HttpBounds(
            Duration.ofSeconds(5),
            Duration.ofSeconds(15),
            Duration.ofSeconds(20),
            Duration.ofMillis(1),
            Duration.ofMillis(10),
            giveUp,
            silence,
            MOST_EVENT_BYTES);
    ClientSettings settings = Settings.read(ClientSettings.class, ConfigFactory.load());
    return HttpColony.at(api.uri(), "secret", settings, bounds).agent(ID);
  }

  @Test
  void aKeyThatNoHeaderTakesIsRefusedAtOnceAndNotShown() {
    for (String key : List.of("colony_hidden\n", " colony_hidden", "colony_hidden\r\nX: y", "ä")) {
      assertThatThrownBy(() -> HttpColony.at(api.uri(), key))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("line break")
          .hasMessageNotContaining("hidden");
    }
  }

  @Test
  void aRequestIsSentAgainUntilItIsStored() {
    api.thenLost()
        .then(503, BUSY)
        .then(502, "<html>bad gateway</html>")
        .then(429, "", Map.of("Retry-After", "0"))
        .then(202, ACCEPTED);
    RunHandle run = agent().run(TextNode.valueOf("do it"), OPTIONS);
    get(run.stored());
    assertThat(api.asked).hasSize(5);
    assertThat(api.asked)
        .allSatisfy(request -> {
          assertThat(request.method()).isEqualTo("POST");
          assertThat(request.target()).isEqualTo("/v1/tenants/acme/colonies/lab/agents/a/runs");
          assertThat(request.header("Authorization")).isEqualTo("Bearer secret");
          assertThat(request.body())
              .as("the same run each time")
              .isEqualTo(api.asked.getFirst().body())
              .contains("\"runId\":\"r1\"");
        });
  }

  @Test
  void aRunThatTheStoreHasLostIsAskedForAgain() {
    api.then(202, ACCEPTED)
        .then(200, UNDER_WAY)
        .then(410, LOST)
        .then(202, ACCEPTED)
        .then(404, WireJson.write(Problem.of(AgentException.refused("no run r1"))).toString())
        .then(202, ACCEPTED)
        .then(200, ENDED);
    RunHandle run = agent().run(TextNode.valueOf("do it"), OPTIONS);
    assertThat(get(run.result())).isEqualTo(END);
    assertThat(api.asked)
        .extracting(ScriptedApi.Asked::method)
        .containsExactly("POST", "GET", "GET", "POST", "GET", "POST", "GET");
    assertThat(api.asked.get(3).body())
        .as("the same request")
        .isEqualTo(api.asked.getFirst().body());
  }

  @Test
  void theEventsOfARunThatTheStoreHasLostAreThoseOfTheOneThatIsAskedForAgain() throws Exception {
    api.then(202, ACCEPTED).then(410, LOST).then(202, ACCEPTED).thenStream(ended(1));
    RunHandle run = agent().run(TextNode.valueOf("do it"), OPTIONS);
    assertThat(Follower.of(run.events()).ended().seen()).hasSize(1);
    assertThat(api.asked)
        .extracting(ScriptedApi.Asked::method)
        .containsExactly("POST", "GET", "POST", "GET");
  }

  @Test
  void aRunThatIsFollowedUpLaterIsNotAskedForWhereItIsGone() {
    api.then(200, UNDER_WAY).then(410, LOST);
    RunHandle run = agent().attach(RUN, OPTIONS);
    assertThatThrownBy(() -> get(run.result()))
        .isInstanceOf(AgentException.class)
        .hasMessage("gone since noon");
    assertThat(api.asked).hasSize(2);
  }

  @Test
  void aRefusalIsNotAskedForAgain() {
    api.then(
        409, WireJson.write(Problem.of(AgentException.refused("session s1 is closed"))).toString());
    RunHandle run = agent().run(TextNode.valueOf("do it"), OPTIONS);
    for (CompletionStage<?> stage : List.of(run.stored(), run.result())) {
      assertThatThrownBy(() -> get(stage))
          .isInstanceOf(AgentException.class)
          .hasMessage("session s1 is closed")
          .matches(failure -> !((AgentException) failure).retryable());
    }
    assertThat(api.asked).hasSize(1);
  }

  @Test
  void aKeyThatIsMissingIsSaidAtOnce() {
    api.then(
        401,
        WireJson.write(
                new Problem(401, "no-key", "no key", "send an API key", false, Optional.empty()))
            .toString());
    assertThatThrownBy(() -> get(agent().resume("now")))
        .isInstanceOf(AgentException.class)
        .hasMessage("send an API key");
  }

  @Test
  void whoeverAsksGivesUpAfterAWhile() {
    Duration hasty = Duration.ofMillis(50);
    URI nobody = api.uri();
    api.close();
    RunHandle run = hasty(hasty).run(TextNode.valueOf("do it"), OPTIONS);
    assertThatThrownBy(() -> get(run.stored()))
        .isInstanceOf(AgentException.class)
        .hasMessageStartingWith("the request of run r1 was not stored: no answer from " + nobody)
        .matches(failure -> ((AgentException) failure).retryable());
    assertThatThrownBy(() -> get(hasty(hasty).signal("go", "")))
        .isInstanceOf(BlackboardException.class)
        .matches(failure -> ((BlackboardException) failure).reason() == Reason.UNREACHABLE);
    RunHandle asked = hasty(hasty).attach(RUN, OPTIONS);
    assertThat(Follower.of(asked.events()).isDone()).as("a caller that attaches waits").isFalse();
  }

  @Test
  void aResultIsWaitedForThroughEverything() {
    api.then(202, ACCEPTED)
        .then(200, UNDER_WAY)
        .thenLost()
        .then(503, BUSY)
        .then(200, UNDER_WAY)
        .then(200, ENDED);
    RunHandle run = hasty(Duration.ZERO).run(IntNode.valueOf(1), OPTIONS);
    assertThat(get(run.result())).isEqualTo(END);
    assertThat(api.asked.getLast().target())
        .startsWith("/v1/tenants/acme/colonies/lab/agents/a/runs/r1?")
        .contains("namespace=work", "wait=20");
  }

  @Test
  void aStreamGoesOnBehindWhatWasHad() throws Exception {
    api.then(202, ACCEPTED)
        .thenStream(said(1) + said(2))
        .thenLost()
        .then(503, BUSY)
        .thenStream(": heartbeat\n\n")
        .thenStream(said(2) + said(3) + said(4).substring(0, 30))
        .thenStream(said(4) + ended(5));
    Follower follower = Follower.of(agent().run(IntNode.valueOf(1), OPTIONS).events());
    assertThat(follower.ended().names()).containsExactly("e1", "e2", "e3", "e4", "completed");
    assertThat(follower.seen().getLast().end()).contains(END);
    assertThat(api.asked.stream().skip(1).map(request -> request.header("Last-Event-ID")))
        .containsExactly("", token(2), token(2), token(2), token(2), token(3));
  }

  @Test
  void theEndOfAStreamIsTheResult() throws Exception {
    api.then(202, ACCEPTED).thenStream(ended(1));
    RunHandle run = agent().run(IntNode.valueOf(1), OPTIONS);
    Follower.of(run.events()).ended();
    assertThat(get(run.result())).isEqualTo(END);
  }

  @Test
  void whoHasHadTheEndIsToldThatItWasTheEnd() throws Exception {
    String token = Follower.tokenOf(RunPlace.of(ID, RUN, OPTIONS, Optional.empty()));
    api.then(200, ENDED).thenStream("event: end\ndata: {}\n\n").then(204, "");
    RunHandle run = agent().attach(RUN, OPTIONS);
    assertThat(Follower.of(run.events(token)).ended().seen()).isEmpty();
    assertThat(Follower.of(run.events(token)).ended().seen()).isEmpty();
    assertThat(api.asked.getLast().header("Last-Event-ID")).isEqualTo(token);
  }

  @Test
  void aProblemThatDoesNotPassEndsAStream() throws Exception {
    String lost =
        WireJson.write(
                Problem.of(
                    new BlackboardException(Reason.EVENTS_LOST, "4 events of run r1 are gone")))
            .toString();
    api.then(202, ACCEPTED)
        .thenStream(said(1) + "event: problem\ndata: " + BUSY + "\n\n")
        .thenStream(said(2) + "event: problem\ndata: " + lost + "\n\n");
    Follower follower = Follower.of(agent().run(IntNode.valueOf(1), OPTIONS).events());
    assertThat(follower.failure())
        .isInstanceOf(BlackboardException.class)
        .hasMessage("4 events of run r1 are gone");
    assertThat(follower.names()).containsExactly("e1", "e2");
  }

  @Test
  void aStreamThatFallsSilentIsAskedForAgain() throws Exception {
    api.then(202, ACCEPTED).thenSilence(said(1)).thenStream(ended(2));
    Follower follower =
        Follower.of(noticing(Duration.ofMillis(200)).run(IntNode.valueOf(1), OPTIONS).events());
    assertThat(follower.ended().names()).containsExactly("e1", "completed");
  }

  @Test
  void aStreamThatCannotBeBegunFails() throws Exception {
    api.then(202, ACCEPTED).then(503, BUSY).then(503, BUSY);
    RunHandle run = hasty(Duration.ZERO).run(IntNode.valueOf(1), OPTIONS);
    assertThat(Follower.of(run.events()).failure())
        .isInstanceOf(AgentException.class)
        .hasMessage("a node leaves");
  }

  @Test
  void anEventThatIsTooLargeEndsAStream() throws Exception {
    api.then(202, ACCEPTED).thenStream("data: " + "x".repeat(2 * MOST_EVENT_BYTES) + "\n\n");
    RunHandle run = agent().run(IntNode.valueOf(1), OPTIONS);
    assertThat(Follower.of(run.events()).failure())
        .hasMessageContaining("more than " + MOST_EVENT_BYTES + " bytes");
  }

  @Test
  void aCancelledStreamIsNotAskedForAgain() throws Exception {
    api.then(202, ACCEPTED).thenSilence(said(1)).then(200, ENDED);
    RunHandle run = noticing(Duration.ofMillis(100)).run(IntNode.valueOf(1), OPTIONS);
    Follower follower = Follower.of(run.events());
    follower.seenAtLeast(1);
    follower.cancel();
    assertThat(get(run.result())).isEqualTo(END);
    assertThat(api.asked).hasSize(3);
  }

  @Test
  void aUrlThatIsNoneIsRefused() {
    for (String url : List.of("redis://127.0.0.1", "http:///x", "nothing", "http://h/?q=1")) {
      assertThatThrownBy(() -> HttpColony.at(URI.create(url), ""))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(url);
    }
    assertThatThrownBy(() -> HttpColony.agentAt(URI.create("http://h/v1/tenants/acme"), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/v1/tenants/TENANT/colonies/COLONY/agents/AGENT");
  }

  @Test
  void anAgentIsNamedByItsUrl() {
    api.then(404, "").then(200, "{\"state\": \"IDLE\", \"since\": \"2026-11-22T10:00:00Z\"}");
    AgentHandle agent =
        HttpColony.agentAt(api.uri().resolve("/below/v1/tenants/t/colonies/c/agents/b"), "");
    assertThat(agent.id()).isEqualTo(new AgentId("t", "c", "b"));
    assertThat(get(agent.state())).isEmpty();
    assertThat(get(agent.state()).orElseThrow().since())
        .isEqualTo(Instant.parse("2026-11-22T10:00:00Z"));
    assertThat(api.asked.getLast().target())
        .isEqualTo("/below/v1/tenants/t/colonies/c/agents/b/status");
    assertThat(api.asked.getLast().header("Authorization")).isEmpty();
  }

  private static String token(int number) {
    return "1-" + number + "-" + number + ".00000000";
  }

  private static String said(int number) {
    RunProgress event =
        new RunProgress(
            RUN,
            "e" + number,
            TextNode.valueOf("\u4e2d\n"),
            Instant.EPOCH,
            token(number),
            Optional.empty());
    return "id: %s\nevent: progress\ndata: %s\n\n"
        .formatted(event.token(), WireJson.write(RunEvent.of(event)));
  }

  private static String ended(int number) {
    RunProgress event =
        new RunProgress(
            RUN, "completed", END.toJson(), Instant.EPOCH, token(number), Optional.of(END));
    return "id: %s\nevent: end\ndata: %s\n\n"
        .formatted(event.token(), WireJson.write(RunEvent.of(event)));
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    } catch (CompletionException failure) {
      throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
    }
  }
}
