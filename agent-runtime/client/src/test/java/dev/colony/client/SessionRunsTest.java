package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Runs that are asked for in a session, and on behalf of other runs. */
class SessionRunsTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "a");
  private static final SessionId SESSION = new SessionId("s1");
  private static final RunOptions OPTIONS = RunOptions.namespace("work");

  private final Blackboards boards = new InMemoryBlackboards();
  private final Colony colony =
      new BlackboardColony(
          boards,
          HomeResolver.byHash(1),
          Settings.read(ClientSettings.class, ConfigFactory.load()));

  @Test
  void aRequestCarriesItsSession() {
    open(SESSION);
    assertThat(request(colony.agent(AGENT), OPTIONS.session(SESSION)).context().session())
        .contains(SESSION);
    assertThat(request(colony.agent(AGENT), OPTIONS).context().session()).isEmpty();
    assertThat(
            colony
                .sessions("acme", "lab")
                .get(SESSION)
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .totals()
                .underWay())
        .isEqualTo(1);
  }

  @Test
  void aClosedSessionRefusesAtOnce() {
    open(SESSION);
    colony.sessions("acme", "lab").close(SESSION, "me", "enough").toCompletableFuture().join();
    refused(OPTIONS.session(SESSION), "session s1 is closed: enough");
    refused(OPTIONS.session(new SessionId("s2")), "there is no session s2: open it first");
  }

  @Test
  void aRunThatAnotherSetsOffInheritsTraceAndSession() {
    open(SESSION);
    open(new SessionId("s2"));
    ExecutionContext origin = ExecutionContext.of(AGENT, new RunId("first")).session(SESSION);
    AgentHandle other = colony.within(origin).agent(new AgentId("acme", "lab", "b"));
    RunRequest set = request(other, OPTIONS);
    assertThat(set.context()).isEqualTo(origin.sets(set.runId()));
    assertThat(set.context().trace()).isEqualTo("first");
    RunRequest elsewhere = request(other, OPTIONS.session(new SessionId("s2")));
    assertThat(elsewhere.context().session()).contains(new SessionId("s2"));
    assertThat(elsewhere.context().trace()).isEqualTo("first");
  }

  @Test
  void aRunReachesNothingBeyondItsColony() {
    Colony within = colony.within(ExecutionContext.of(AGENT, new RunId("first")));
    AgentId foreign = new AgentId("other", "lab", "a");
    AgentId neighbour = new AgentId("acme", "other", "a");
    AgentBlueprint blueprint = AgentBlueprint.of(Blueprint.of("test.any"));
    assertThatThrownBy(() -> within.agent(foreign)).isInstanceOf(AgentException.class);
    assertThatThrownBy(() -> within.agent(neighbour))
        .hasMessageContaining("run first of acme/lab may not reach");
    assertThatThrownBy(() -> within.sessions("other", "lab")).isInstanceOf(AgentException.class);
    assertThatThrownBy(() -> within.within(ExecutionContext.of(foreign, new RunId("r"))))
        .isInstanceOf(AgentException.class);
    assertThatThrownBy(() -> within.spawn(AGENT, blueprint))
        .hasMessageContaining("but as a child of its agent");
  }

  @Test
  void aRunForksNobodyAndOneWithoutAJournalHasNoHistory() {
    AgentHandle within = colony.within(ExecutionContext.of(AGENT, new RunId("first"))).agent(AGENT);
    assertThatThrownBy(() -> within.fork(1, "other"))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("run first may not fork");
    assertThatThrownBy(() -> colony.agent(AGENT).at(1).toCompletableFuture().join())
        .cause()
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("no way to the journal");
  }

  private void refused(RunOptions options, String why) {
    RunHandle run = colony.agent(AGENT).run(JsonNodeFactory.instance.nullNode(), options);
    assertThatThrownBy(() -> run.result().toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(AgentException.class)
        .hasMessageEndingWith(why)
        .matches(refusal -> !((AgentException) refusal).retryable());
    assertThatThrownBy(() -> run.stored().toCompletableFuture().join()).hasMessageEndingWith(why);
    assertThat(colony.agent(AGENT).ended(run.runId(), options).toCompletableFuture().join())
        .isEmpty();
  }

  private RunRequest request(AgentHandle agent, RunOptions options) {
    RunHandle run = agent.run(JsonNodeFactory.instance.nullNode(), options);
    run.stored().toCompletableFuture().join();
    String key = new AgentRunProtocol().requestKey(agent.id().name(), run.runId().value());
    return RunRequest.fromJson(
        boards
            .open(agent.id().scope().namespace("work"), "test")
            .read(key)
            .toCompletableFuture()
            .join()
            .orElseThrow()
            .value());
  }

  private void open(SessionId id) {
    colony.sessions("acme", "lab").open(id, "me").toCompletableFuture().join();
  }
}
