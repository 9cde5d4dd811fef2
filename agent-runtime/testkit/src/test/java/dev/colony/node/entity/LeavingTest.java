package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An agent's actor, without its shard: it leaves, and the next incarnation goes on. */
class LeavingTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  private final AgentId id = new AgentId("acme", "tests", "a-" + UUID.randomUUID());
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final TestTypes types = new TestTypes();
  private ActorTestKit kit;
  private Unsharded agents;

  private void start(String settings) {
    kit =
        ActorTestKit.create(
            ConfigFactory.parseString("pekko.actor.provider = local")
                .withFallback(LocalNode.config(settings)));
    agents = new Unsharded(kit, boards, types);
    agents.colony.spawn(id, TestTypes.BLUEPRINT).toCompletableFuture().join();
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
    boards.close();
  }

  @Test
  void theNextIncarnationGoesOnUnderTheSameIdempotencyKey() throws Exception {
    start("");
    CountDownLatch latch = types.hold("a0");
    ActorRef<AgentMessage> first = incarnation();
    accept(first, 2, "internal");
    String key = begun();
    leave(first);
    assertThat(agents.wakeUps.tryAcquire()).isTrue();
    incarnation();
    assertThat(begun()).isEqualTo(key);
    latch.countDown();
    assertThat(result().output().asText()).isEqualTo("a0=SUCCEEDED a1=SUCCEEDED");
    assertThat(result().stats().steps()).isEqualTo(3);
  }

  @Test
  void whatAnEarlierIncarnationAskedForIsDropped() throws Exception {
    start("");
    CountDownLatch latch = types.hold("a0");
    ActorRef<AgentMessage> agent = incarnation();
    accept(agent, 1, "internal");
    begun();
    ActionResult stale = ActionResult.failed("a0", "stale");
    Action action = Action.of("a0", "stale", null);
    agent.tell(
        new AgentMessage.Ended(
            new CancellationToken(),
            new AgentCommand.CompleteStep(
                ActionPolicyIterationResult.acted(action, stale), StepDelta.NONE, Instant.now())));
    latch.countDown();
    assertThat(result().output().asText()).isEqualTo("a0=SUCCEEDED");
  }

  @Test
  void anExternalActionThatMustNotBeRepeatedIsReportedAsInterrupted() throws Exception {
    start("colony.agent.leave-grace = 10ms");
    types.hold("a0");
    ActorRef<AgentMessage> first = incarnation();
    accept(first, 1, "once");
    begun();
    leave(first);
    incarnation();
    assertThat(result().output().asText()).startsWith("a0=INTERRUPTED");
  }

  @Test
  void anExternalActionThatMayBeRepeatedIsRepeatedUnderTheSameIdempotencyKey() throws Exception {
    start("colony.agent.leave-grace = 10ms");
    CountDownLatch latch = types.hold("a0");
    ActorRef<AgentMessage> first = incarnation();
    accept(first, 1, "retryable");
    String key = begun();
    leave(first);
    incarnation();
    assertThat(begun()).isEqualTo(key);
    latch.countDown();
    assertThat(result().output().asText()).isEqualTo("a0=SUCCEEDED");
  }

  @Test
  void anExternalActionThatEndsInTimeIsAwaited() throws Exception {
    start("colony.agent.leave-grace = 10m");
    CountDownLatch latch = types.hold("a0");
    ActorRef<AgentMessage> first = incarnation();
    accept(first, 1, "once");
    begun();
    first.tell(new AgentMessage.Leave());
    latch.countDown();
    kit.createTestProbe().expectTerminated(first, SOON);
    incarnation();
    assertThat(result().output().asText()).isEqualTo("a0=SUCCEEDED");
  }

  @Test
  void anAgentWithNothingToDoAsksToBeStoppedAndIsNotWoken() throws Exception {
    start("colony.agent.passivate-after = 500ms");
    ActorRef<AgentMessage> first = incarnation();
    accept(first, 1, "internal");
    result();
    assertThat(agents.passivations.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    leave(first);
    assertThat(agents.wakeUps.availablePermits()).isZero();
  }

  /** It may have been purged since, and its name may be another agent's. */
  @Test
  void anAgentThatHasEndedHasTheNextIncarnationAnswer() throws Exception {
    start("");
    ActorRef<AgentMessage> first = incarnation();
    TestProbe<AcceptReply> probe = kit.createTestProbe(AcceptReply.class);
    first.tell(stop(probe.getRef()));
    probe.expectMessage(SOON, new AcceptReply.Accepted());
    assertThat(agents.passivations.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    first.tell(stop(probe.getRef()));
    probe.receiveMessage(SOON);
    assertThat(agents.incarnations).as("made to answer").hasValue(2);
  }

  private static AgentMessage stop(ActorRef<AcceptReply> replyTo) {
    return new AgentMessage.Apply(
        new Intent.ChangeState(LifecycleCommand.STOP, "over"),
        Optional.of(new Position(1, 1)),
        replyTo);
  }

  @Test
  void anAgentThatTheDirectoryDoesNotKnowDoesNotAnswer() {
    start("");
    ActorRef<AgentMessage> nobody =
        agents.incarnation(new AgentId("acme", "tests", "nobody"), "here");
    kit.createTestProbe().expectTerminated(nobody, SOON);
  }

  private ActorRef<AgentMessage> incarnation() {
    return agents.incarnation(id, "here");
  }

  private void accept(ActorRef<AgentMessage> agent, int steps, String kind) {
    TestProbe<AcceptReply> probe = kit.createTestProbe(AcceptReply.class);
    RunRequest request =
        new RunRequest(
            ExecutionContext.of(id, new RunId("r1")),
            "test",
            TestTypes.input(steps, kind),
            "me",
            Instant.now());
    agent.tell(new AgentMessage.Accept(request, probe.getRef()));
    probe.expectMessage(SOON, new AcceptReply.Accepted());
  }

  private String begun() throws InterruptedException {
    String key = types.begun.poll(10, TimeUnit.SECONDS);
    assertThat(key).contains(id.name());
    return key;
  }

  private void leave(ActorRef<AgentMessage> agent) {
    agent.tell(new AgentMessage.Leave());
    kit.createTestProbe().expectTerminated(agent, SOON);
  }

  private AgentRun result() {
    return await()
        .atMost(SOON)
        .until(
            () ->
                agents
                    .colony
                    .agent(id)
                    .ended(new RunId("r1"), RunOptions.namespace("test"))
                    .toCompletableFuture()
                    .join(),
            Optional::isPresent)
        .orElseThrow();
  }
}
