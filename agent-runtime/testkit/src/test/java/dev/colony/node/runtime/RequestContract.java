package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.InboxMessage;
import dev.colony.core.lifecycle.AgentEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Agents that are asked for runs by a client outside the cluster. */
abstract class RequestContract extends InboxFixture {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void aRequestOfAForeignClientReachesItsAgentAndTheResultTheClient() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    assertThat(result(ask("r1")).output().asText()).isEqualTo("a0=SUCCEEDED");
    await().until(() -> pending().isEmpty());
  }

  @Test
  void aLostHintIsMadeGoodByTheSweep() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    boards.losesHints = true;
    assertThat(result(ask("r1")).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  @Test
  void aRequestThatCannotBeAcknowledgedIsDeliveredAgainAndRunOnce() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    CountDownLatch latch = types.hold("a0");
    boards.losesAcknowledgements = true;
    RunHandle run = ask("r1");
    await().until(() -> deliveries() >= 3);
    // The agents here remember no runs: what is under way when the run ends has to be through.
    CompletableFuture<Void> acknowledges = new CompletableFuture<>();
    boards.acknowledges = acknowledges;
    await().until(() -> boards.held.stream().anyMatch(this::isRequest));
    latch.countDown();
    assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED);
    long before = deliveries();
    acknowledges.complete(null);
    await().until(() -> deliveries() >= before + 2);
    boards.losesAcknowledgements = false;
    await().until(() -> pending().isEmpty());
    assertThat(journaled(AgentEvent.RunAccepted.class)).hasSize(1);
  }

  @Test
  void aRequestIsAcknowledgedOnlyWhenItIsJournaled() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    await().until(() -> pending().isEmpty() && !node.holds(id));
    journal.failNextNPersisted(
        id.persistenceId(), 1_000_000, new IllegalStateException("the disk is full"));
    RunHandle run = ask("r1");
    await().until(() -> deliveries() >= 2);
    assertThat(pending()).hasSize(1);
    journal.resetPolicy();
    assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED);
    await().until(() -> pending().isEmpty());
  }

  @Test
  void aRequestAndItsResultExpireTogether() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    CountDownLatch latch = types.hold("a0");
    RunHandle run = ask("r1");
    await().until(() -> !journaled(AgentEvent.RunAccepted.class).isEmpty());
    assertThat(entry("request:run:r1").expiresAt()).isEmpty();
    latch.countDown();
    result(run);
    Entry end = entry("result:run:r1");
    assertThat(end.expiresAt()).contains(end.updatedAt().plus(Duration.ofDays(30)));
    assertThat(entry("request:run:r1").expiresAt()).isEqualTo(end.expiresAt());
  }

  @Test
  void aRequestThatComesAgainWhenItAndItsResultHaveExpiredIsNotRunAgain() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    boards.losesAcknowledgements = true;
    CompletableFuture<Void> acknowledges = new CompletableFuture<>();
    boards.acknowledges = acknowledges;
    result(ask("r1"));
    await().until(() -> !journaled(AgentEvent.ResultPublished.class).isEmpty());
    entries().clear().toCompletableFuture().join();
    long before = deliveries();
    acknowledges.complete(null);
    await().until(() -> deliveries() >= before + 2);
    boards.losesAcknowledgements = false;
    await().until(() -> pending().isEmpty());
    assertThat(journaled(AgentEvent.RunAccepted.class)).hasSize(1);
    assertThat(entries().read("result:run:r1"))
        .succeedsWithin(PATIENCE)
        .isEqualTo(Optional.empty());
  }

  private Blackboard entries() {
    return foreign.open(id.scope().namespace("test"), "test");
  }

  private Entry entry(String key) {
    return entries().read(key).toCompletableFuture().join().orElseThrow();
  }

  @Test
  void aRequestThatHoldsHalfAPairWhenItArrivesFailsAndSaysSo() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    boards.arrives = value -> halved(value, "input");
    AgentRun run = result(ask("r1"));
    assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
    assertThat(run.error().orElseThrow())
        .contains("the request is malformed", "$.input holds half a surrogate pair at character 1");
    await().until(() -> pending().isEmpty());
    assertThat(journaled(AgentEvent.RunAccepted.class)).isEmpty();
  }

  @Test
  void aSignalThatHoldsHalfAPairWhenItArrivesIsDropped() {
    fresh();
    spawn(TestTypes.BLUEPRINT);
    boards.arrives = value -> halved(value, "reason");
    outside.agent(id).stop("enough").toCompletableFuture().join();
    await().until(() -> pending().isEmpty());
    boards.arrives = UnaryOperator.identity();
    assertThat(result(ask("r1")).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  private static JsonNode halved(JsonNode value, String field) {
    return value.has(field) ? ((ObjectNode) value.deepCopy()).put(field, "a\udc00") : value;
  }

  private RunHandle ask(String runId) {
    return outside
        .agent(id)
        .run(TestTypes.input(1, "internal"), RunOptions.namespace("test").runId(new RunId(runId)));
  }

  /** How often the reader got the request. */
  private long deliveries() {
    return boards.seen.stream().filter(this::isRequest).count();
  }

  private boolean isRequest(InboxMessage message) {
    return message instanceof InboxMessage.Request request
        && request.key().equals("request:run:r1")
        && request.recipient().equals(id.persistenceId());
  }

  private static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }
}
