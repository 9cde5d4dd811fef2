package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Waiting;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.client.AgentSignal;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.resumption.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Signals, delivered by hand to an agent that is there. */
@Timeout(60)
class SignalDeliveryTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final InMemoryBlackboards BOARDS = new InMemoryBlackboards();
  private static final Rehoming STAYS =
      new Rehoming(
          Optional.empty(),
          new AgentDirectory(BOARDS),
          (unit, agent, to, reason) -> CompletableFuture.completedStage(false));
  private static LocalNode node;

  private final AgentId id = new AgentId("acme", "tests", "a-" + UUID.randomUUID());

  @BeforeAll
  static void start() {
    node = LocalNode.start(BOARDS, new TestTypes());
  }

  @AfterAll
  static void stop() {
    node.close();
    BOARDS.close();
  }

  private SignalDelivery signals(Resumptions resumptions) {
    node.colony().spawn(id, TestTypes.BLUEPRINT).toCompletableFuture().join();
    EntityClient entities = new EntityClient(ClusterSharding.get(node.system()), SOON);
    AgentDirectory directory = new AgentDirectory(BOARDS);
    SignalDelivery.ResumeService resumption =
        new SignalDelivery.ResumeService(directory, resumptions, STAYS, entities);
    return new SignalDelivery(BOARDS, directory, resumption, entities, STAYS);
  }

  private static Resumptions resumptions() {
    return Waiting.on(BOARDS, node.system().settings().config());
  }

  /** An entry that another program has sent; its reader reads for other agents, too. */
  @Test
  void anEntryOfTheDirectoryThatNamesNoAgentIsDropped() {
    String name = "x".repeat(300);
    InboxMessage.Request entered =
        new InboxMessage.Request(
            "1",
            "acme/lab/" + name,
            Scope.colony("acme", "lab").namespace("agents"),
            name,
            new Position(1, 1),
            JsonNodeFactory.instance.objectNode(),
            false);
    assertThat(AgentDirectory.enters(entered)).isTrue();
    assertThat(new SignalDelivery.WakeDelivery(null, null, null, null).start(entered))
        .isCompletedWithValue(entered);
  }

  @Test
  void aSignalForASuspensionThatIsOverIsForTheNextOne() {
    Resumptions resumptions = resumptions();
    SignalDelivery signals = signals(resumptions);
    ResumptionCondition go = new ResumptionCondition.Custom("go");
    enter(resumptions, 7, go);
    AgentSignal.Custom signal = new AgentSignal.Custom(id, "go", "");
    InboxMessage.Request message = message(signal);
    assertThat(signals.deliver(message, signal).toCompletableFuture().join()).contains(message);

    enter(resumptions, 8, ResumptionCondition.all(go, new ResumptionCondition.Approved("yes")));
    assertThat(
            resumptions
                .due(new Trigger.Approved(id, "yes", new Position(1, 1)))
                .toCompletableFuture()
                .join())
        .hasValue(8);
  }

  @Test
  void anApprovalForASuspensionThatIsOverIsForTheNextOne() {
    try (InMemoryBlackboards apart = new InMemoryBlackboards()) {
      // What stands in the index is not what the agent is in.
      Resumptions index = Waiting.on(apart, node.system().settings().config());
      SignalDelivery signals = signals(index);
      ResumptionCondition yes =
          new ResumptionCondition.Approved("yes", Optional.of(Position.BEGINNING));
      ResumptionCondition both = ResumptionCondition.all(yes, new ResumptionCondition.Custom("go"));
      AgentHandle agent = node.colony().agent(id);
      agent.suspend("test", both).toCompletableFuture().join();
      await()
          .atMost(SOON)
          .until(() ->
              agent.state().toCompletableFuture().join().orElseThrow().state()
                  == AgentState.SUSPENDED);
      enter(index, 7, yes);
      AgentSignal.Wanted approve = AgentSignal.approve(id, "yes", true, "lead", "");
      InboxMessage.Request message = message(approve);
      assertThat(signals.deliver(message, approve).toCompletableFuture().join()).contains(message);

      enter(index, 8, both);
      assertThat(index.due(new Trigger.Signalled(id, "go")).toCompletableFuture().join())
          .hasValue(8);
    }
  }

  private void enter(Resumptions resumptions, long number, ResumptionCondition until) {
    Suspension suspension =
        new Suspension(number, SuspensionCause.EXPLICIT, "test", Optional.of(until), Instant.now());
    resumptions.enter(id, suspension).toCompletableFuture().join();
  }

  @Test
  void aCancellationThatIsAheadOfItsRequestIsKeptUntilTheRunIsKnownOrOver() {
    SignalDelivery signals = signals(resumptions());
    RunId early = new RunId("early");
    AgentSignal.Wanted cancel = AgentSignal.cancel(id, "test", early, "no more");
    InboxMessage.Request message = message(cancel);
    assertThat(signals.deliver(message, cancel).toCompletableFuture().join()).contains(message);

    write(new AgentRunProtocol().requestKey(id.name(), early.value()));
    assertThat(signals.deliver(message, cancel).toCompletableFuture().join()).isEmpty();

    write(new AgentRunProtocol().resultKey(early.value()));
    assertThat(signals.deliver(message, cancel).toCompletableFuture().join()).contains(message);
  }

  private InboxMessage.Request message(AgentSignal.Given word) {
    return new InboxMessage.Request(
        "1",
        id.persistenceId(),
        word.scope(),
        word.key(),
        new Position(1, 1),
        word.write().value(),
        false);
  }

  private void write(String key) {
    BOARDS
        .open(id.scope().namespace("test"), "test")
        .write(Write.value(key, "there"))
        .toCompletableFuture()
        .join();
  }
}
