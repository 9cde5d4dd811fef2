package dev.colony.client.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.ColonyClient;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader.Stored;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A journal of which only what follows the oldest of two snapshots is kept. */
class ForgottenPastTest {

  private static final int EVERY = 10;
  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.policy"));

  @Test
  void nobodyIsForkedFromBeforeTheOldestSnapshotThatIsKept() {
    try (WrittenAgent origin = new WrittenAgent(EVERY, "2");
        ColonyClient client = ColonyClient.connect(TestRedis.shared().uri())) {
      AgentHandle agent = now(client.colony().spawn(origin.id, BLUEPRINT));
      origin.journal(origin.born());
      for (int run = 0; run < 5; run++) {
        origin.journal(origin.accepted("r" + run));
        origin.journal(WrittenAgent.stepped(run, 0));
        origin.journal(WrittenAgent.stepped(run, 1));
        origin.journal(WrittenAgent.ended("r" + run));
      }
      int due = origin.written() / EVERY * EVERY;
      await().until(() -> snapshot(origin, Long.MAX_VALUE) >= due);
      long oldest = snapshot(origin, snapshot(origin, Long.MAX_VALUE) - 1);

      AgentId lost = sibling(origin, "lost");
      assertThat(now(agent.fork(oldest - 1, lost.name())))
          .isEqualTo(new ForkReply.NoSuchPast(new StateAt.Forgotten(origin.id, oldest - 1, oldest)))
          .extracting(ForkReply::words)
          .asString()
          .contains("reaches back to " + oldest + " only");
      assertThat(now(client.colony().agent(lost).state())).as("nothing is left of it").isEmpty();

      AgentId kept = sibling(origin, "kept");
      assertThat(now(agent.fork(oldest, kept.name())))
          .isEqualTo(new ForkReply.Forked(kept, origin.id, oldest));
      assertThat(now(agent.at(oldest))).isInstanceOf(StateAt.Known.class);
    }
  }

  @Test
  void theStateOfAnAgentIsThatOfItsJournalThoughNoRunIsMadeKnown() {
    try (WrittenAgent worker = new WrittenAgent(EVERY, "2");
        ColonyClient client = ColonyClient.connect(TestRedis.shared().uri())) {
      AgentHandle agent = now(client.colony().spawn(worker.id, BLUEPRINT));
      assertThat(now(agent.state()).orElseThrow().state()).isEqualTo(AgentState.INITIALIZED);
      worker.journal(worker.born());
      for (int run = 0; run < 3; run++) {
        worker.journal(worker.accepted("r" + run));
        worker.journal(WrittenAgent.stepped(run, 0));
        worker.journal(WrittenAgent.ended("r" + run));
      }
      worker.journal(
          new AgentEvent.Transitioned(
              LifecycleCommand.START,
              AgentState.INITIALIZED,
              AgentState.IDLE,
              "it has run",
              Optional.empty(),
              0,
              WrittenAgent.START));
      assertThat(now(agent.state()).orElseThrow().state()).isEqualTo(AgentState.IDLE);
    }
  }

  /** Where the newest one stands that is not beyond a number; 0 if there is none. */
  private static long snapshot(WrittenAgent agent, long atMost) {
    return now(agent.reader().snapshot(agent.id.persistenceId(), atMost))
        .map(Stored::sequenceNr)
        .orElse(0L);
  }

  private static AgentId sibling(WrittenAgent agent, String name) {
    return new AgentId(agent.id.tenant(), agent.id.colony(), name);
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
