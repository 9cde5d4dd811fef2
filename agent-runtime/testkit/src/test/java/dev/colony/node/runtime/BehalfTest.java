package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.agent.client.Sessions;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.client.session.BlackboardSessions;
import dev.colony.core.lifecycle.AgentEvent;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On whose behalf runs are: their sessions, their tenants. */
class BehalfTest extends LiveFixture {

  private SessionId session;

  @BeforeEach
  void open() {
    session = SessionId.random();
    spawn(TestTypes.BLUEPRINT);
    now(sessions().open(session, "tester"));
  }

  @Test
  void aRunCountsOnceInItsSession() {
    AgentRun first = counted("r1");
    counted("r1");
    AgentRun second = counted("r2");
    assertThat(first.sessionId()).contains(session);
    SessionTotals totals = totals();
    assertThat(totals.runs()).isEqualTo(2);
    assertThat(totals.completed()).isEqualTo(2);
    assertThat(totals.stats()).isEqualTo(first.stats().plus(second.stats()));
  }

  @Test
  void aRunCountsOnceThoughItsResultIsPublishedAgainAfterACrash() {
    now(agent.run(TestTypes.input(0, "internal"), options("r0")).result());
    await().until(() -> !node.holds(id));
    var latch = types.hold("a0");
    var run = agent.run(TestTypes.input(1, "internal"), options("r1").session(session));
    await().until(() -> !types.begun.isEmpty());
    // The run's end is journaled and published; that it is published, is not.
    journal.withPolicy(new FailingConfirmation(id.persistenceId()));
    latch.countDown();
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    journal.resetPolicy();
    await().until(() -> journaled(AgentEvent.ResultPublished.class).size() == 2);
    assertThat(totals().runs()).isEqualTo(1);
    assertThat(totals().stats()).isEqualTo(result(run).stats());
  }

  @Test
  void aClosedSessionTakesNoRun() {
    now(sessions().close(session, "tester", "done"));
    AgentRun run = ofRequest(ExecutionContext.of(id, new RunId("r1")).session(session));
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow()).contains("closed");
    assertThat(journaled(AgentEvent.RunAccepted.class)).isEmpty();
  }

  @Test
  void aRequestOnBehalfOfAnotherTenantIsRefused() {
    ExecutionContext other =
        new ExecutionContext("evil", "lives", Optional.empty(), new RunId("r1"), "trace");
    AgentRun run = ofRequest(other);
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow()).contains("evil/lives");
    assertThat(journaled(AgentEvent.RunAccepted.class)).isEmpty();
  }

  /** What comes of a request that is written by a client that checks nothing. */
  private AgentRun ofRequest(ExecutionContext context) {
    RunRequest request =
        new RunRequest(context, "test", TestTypes.input(1, "internal"), "me", Instant.now());
    now(
        boards
            .open(id.scope().namespace("test"), "someone")
            .send(
                Write.of(new AgentRunProtocol().requestKey(id.name(), "r1"), request.toJson()),
                id.persistenceId()));
    return result(agent.attach(new RunId("r1"), options("r1")));
  }

  private AgentRun counted(String runId) {
    return result(agent.run(TestTypes.input(1, "internal"), options(runId).session(session)));
  }

  private Sessions sessions() {
    return new BlackboardSessions(boards, "acme", "lives", InstantSource.system());
  }

  private SessionTotals totals() {
    return now(sessions().get(session)).map(Session::totals).orElseThrow();
  }
}
