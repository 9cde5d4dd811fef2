package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.ManyEars;
import dev.colony.agent.fixture.OpenEars;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.AgentEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Agents that are woken by what others write. */
abstract class WakingContract extends InboxFixture {

  @Test
  void aPassivatedAgentIsWokenOnceByAMatchingWriteOfAForeignClient() {
    spawnAndPassivate();
    Position position = write("alarm:1");
    await().until(() -> runs() == 1);
    assertThat(handled()).containsExactly(position);
    await().until(() -> !node.holds(id));
    assertThat(journaled(AgentEvent.EventsNoticed.class)).hasSize(1);
    assertThat(journaled(AgentEvent.EventsTaken.class))
        .extracting(AgentEvent.EventsTaken::left)
        .containsExactly(1);
    assertThat(batches().getFirst().events().getFirst().writer()).isEqualTo("someone");
    assertThat(batches().getFirst().events().getFirst().value())
        .contains(JsonNodeFactory.instance.textNode("value of alarm:1"));
  }

  @Test
  void itIsNotWokenByOtherKeysOrByWritesOfItsOwn() {
    spawnAndPassivate();
    long claims = claims();
    write("other:1");
    write(boards, id.persistenceId(), "alarm:own");
    foreign.open(scope, "someone").delete("other:1").toCompletableFuture().join();
    Position position = write("alarm:1");
    await().until(() -> runs() == 1);
    assertThat(handled()).containsExactly(position);
    assertThat(claims()).isEqualTo(claims + 1);
    assertThat(boards.seen)
        .filteredOn(InboxMessage.Wake.class::isInstance)
        .map(InboxMessage.Wake.class::cast)
        .filteredOn(wake -> wake.recipient().equals(id.persistenceId()))
        .allMatch(wake -> wake.position().equals(position));
  }

  @Test
  void whatAnAgentMakesKnownOfItsRunsDoesNotWakeIt() {
    fresh();
    spawn(
        hearing()
            .capability(
                CapabilityBlueprint.of(Blueprint.of(OpenEars.TYPE))
                    .scope(id.scope().namespace(EventBatch.NAMESPACE))));
    write("alarm:1");
    await().until(() -> runs() == 1);
    write("alarm:2");
    await().until(() -> runs() == 2);
    assertThat(batches()).extracting(EventBatch::scope).containsOnly(scope);
  }

  @Test
  void writesThatComeWhileItIsBusyAreAllHandledInOrderAfterTheRun() throws Exception {
    fresh();
    CountDownLatch latch = types.hold("a0");
    AgentHandle agent = spawn(hearing());
    RunHandle busy =
        agent.run(
            TestTypes.input(1, "internal"), RunOptions.namespace("test").runId(RunId.random()));
    await().until(() -> types.begun.stream().anyMatch(key -> key.contains(id.name())));
    List<Position> written = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      written.add(write("alarm:" + i % 7));
    }
    await().until(() -> !journaled(AgentEvent.EventsNoticed.class).isEmpty());
    assertThat(runs()).isZero();
    latch.countDown();
    busy.result().toCompletableFuture().get(20, TimeUnit.SECONDS);
    await().until(() -> handled().size() >= 50);
    assertThat(handled()).isEqualTo(written);
    assertThat(batches()).allMatch(batch -> batch.events().size() <= 32 && !batch.missed());
  }

  @Test
  void writesOfManyAreEachHandledOnce() {
    fresh();
    spawn(hearing());
    List<CompletableFuture<WriteResult>> all =
        IntStream.range(0, 200)
            .mapToObj(i ->
                foreign
                    .open(scope, "someone-" + i % 5)
                    .write(Write.value("alarm:" + i, i))
                    .toCompletableFuture())
            .toList();
    List<Position> written = all.stream().map(done -> position(done.join())).sorted().toList();
    await().until(() -> handled().size() >= 200);
    await().until(() -> !node.holds(id));
    assertThat(handled()).isEqualTo(written);
  }

  @Test
  void whatIsWrittenBeforeTheSpawnedAgentHasStartedIsHandled() {
    fresh();
    boards.losesHints = true;
    spawn(hearing());
    Position position = write("alarm:1");
    await().until(() -> runs() == 1);
    assertThat(handled()).containsExactly(position);
  }

  @Test
  void aLostHintIsMadeGoodByTheSweep() {
    spawnAndPassivate();
    boards.losesHints = true;
    Position position = write("alarm:1");
    await().until(() -> runs() == 1);
    assertThat(handled()).containsExactly(position);
  }

  @Test
  void aWakeThatCannotBeAcknowledgedIsDeliveredAgainAndHandledOnce() {
    spawnAndPassivate();
    boards.losesAcknowledgements = true;
    Position first = write("alarm:1");
    await().until(() -> wakes(id) >= 3);
    boards.losesAcknowledgements = false;
    Position second = write("alarm:2");
    await().until(() -> handled().size() >= 2);
    await().until(() -> !node.holds(id));
    assertThat(handled()).containsExactly(first, second);
  }

  @Test
  void aWakeIsAcknowledgedOnlyWhenItIsJournaled() {
    spawnAndPassivate();
    await().until(() -> pending().isEmpty());
    journal.failNextNPersisted(
        id.persistenceId(), 1_000_000, new IllegalStateException("the disk is full"));
    Position position = write("alarm:1");
    await().until(() -> wakes(id) >= 2);
    assertThat(pending()).hasSize(1);
    journal.resetPolicy();
    await().until(() -> runs() == 1);
    assertThat(handled()).containsExactly(position);
  }

  @Test
  void anAgentThatIsNotThereIsTakenOutOfTheIndex() {
    spawnAndPassivate();
    AgentId gone = new AgentId("acme", "waking", "gone-" + UUID.randomUUID());
    foreign
        .open(scope, "someone")
        .wakeOn(gone.persistenceId(), List.of(new KeyGlob("alarm:*")))
        .toCompletableFuture()
        .join();
    write("alarm:1");
    await().until(() -> wakes(gone) > 0 && runs() == 1);
    await().until(() -> pending().isEmpty());
    long before = wakes(gone);
    write("alarm:2");
    await().until(() -> handled().size() == 2);
    assertThat(wakes(gone)).isEqualTo(before);
  }

  @Test
  void patternsThatTheBlackboardRefusesLeaveTheAgentWithoutEventsAndAtWork() throws Exception {
    fresh();
    AgentRun run =
        spawn(
                hearing()
                    .capability(CapabilityBlueprint.of(Blueprint.of(ManyEars.TYPE)).scope(scope)))
            .run(TestTypes.input(1, "internal"), RunOptions.namespace("test").runId(RunId.random()))
            .result()
            .toCompletableFuture()
            .get(20, TimeUnit.SECONDS);
    assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
    await().until(() -> pending().isEmpty());
  }

  @Test
  void nobodyCanAskForARunThatEventsStart() throws Exception {
    fresh();
    AgentRun run =
        spawn(hearing())
            .run(
                JsonNodeFactory.instance.objectNode(),
                RunOptions.namespace(EventBatch.NAMESPACE).runId(RunId.random()))
            .result()
            .toCompletableFuture()
            .get(20, TimeUnit.SECONDS);
    assertThat(run.error().orElseThrow()).contains("is for runs that events start");
  }

  @Test
  void whatIsNoLongerStoredIsSaidToBeMissed() throws Exception {
    fresh();
    CountDownLatch latch = types.hold("a0");
    AgentHandle agent = spawn(hearing());
    agent.run(TestTypes.input(1, "internal"), RunOptions.namespace("test").runId(RunId.random()));
    await().until(() -> types.begun.stream().anyMatch(key -> key.contains(id.name())));
    write("alarm:lost");
    await().until(() -> !journaled(AgentEvent.EventsNoticed.class).isEmpty());
    List<CompletableFuture<WriteResult>> flood =
        IntStream.range(0, 3 * KEPT_EVENTS)
            .mapToObj(i ->
                foreign.open(scope, "someone").write(Write.value("other", i)).toCompletableFuture())
            .toList();
    flood.forEach(CompletableFuture::join);
    latch.countDown();
    await().until(() -> runs() == 1);
    assertThat(batches()).containsExactly(new EventBatch(scope, List.of(), true));
  }
}
