package dev.colony.agent.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentTypes;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.HomeResolver;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.Services;
import dev.colony.agent.bench.FakeModel;
import dev.colony.agent.client.BlackboardColony;
import dev.colony.agent.client.ClientSettings;
import dev.colony.agent.lifecycle.AgentCommand;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.inference.InferenceGateway;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
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
  private final Semaphore wakeUps = new Semaphore(0);
  private final Semaphore passivations = new Semaphore(0);
  private ActorTestKit kit;
  private BlackboardColony colony;
  private Surroundings around;

  private void start(String settings) {
    kit =
        ActorTestKit.create(
            ConfigFactory.parseString("pekko.actor.provider = local")
                .withFallback(LocalNode.config(settings)));
    var config = kit.system().settings().config();
    around =
        Surroundings.of(
            "here",
            AgentSettings.fromConfig(config),
            AgentTypes.of(List.of(types)),
            Services.none()
                .with(Blackboards.class, boards)
                .with(InferenceGateway.class, new FakeModel()),
            (agent, took) -> {},
            task -> Thread.ofVirtual().start(task));
    colony =
        new BlackboardColony(boards, HomeResolver.byHash(1), ClientSettings.fromConfig(config));
    colony.spawn(id, TestTypes.BLUEPRINT).toCompletableFuture().join();
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
    assertThat(wakeUps.tryAcquire()).isTrue();
    incarnation();
    assertThat(begun()).isEqualTo(key);
    latch.countDown();
    assertThat(result().output().asText()).isEqualTo("a0=SUCCEEDED a1=SUCCEEDED");
    assertThat(result().stats().steps()).isEqualTo(2);
  }

  @Test
  void whatAnEarlierIncarnationAskedForIsDropped() throws Exception {
    start("");
    CountDownLatch latch = types.hold("a0");
    ActorRef<AgentMessage> agent = incarnation();
    accept(agent, 1, "internal");
    begun();
    ActionOutcome stale = ActionOutcome.failed("a0", "stale");
    agent.tell(new AgentMessage.Ended(0, new AgentCommand.CompleteStep(stale, Instant.now())));
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
    start("colony.agent.passivate-after = 10ms");
    ActorRef<AgentMessage> first = incarnation();
    accept(first, 1, "internal");
    result();
    assertThat(passivations.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    leave(first);
    assertThat(wakeUps.availablePermits()).isZero();
  }

  @Test
  void anAgentThatTheDirectoryDoesNotKnowDoesNotAnswer() {
    start("");
    ActorRef<AgentMessage> nobody =
        kit.spawn(AgentEntity.create(new AgentId("acme", "tests", "nobody"), around, ties()));
    kit.createTestProbe().expectTerminated(nobody, SOON);
  }

  private ActorRef<AgentMessage> incarnation() {
    return kit.spawn(AgentEntity.create(id, around, ties()));
  }

  private AgentEntity.Ties ties() {
    return new AgentEntity.Ties() {
      @Override
      public void passivate(ActorRef<AgentMessage> self) {
        passivations.release();
      }

      @Override
      public void wakeElsewhere() {
        wakeUps.release();
      }
    };
  }

  private void accept(ActorRef<AgentMessage> agent, int steps, String kind) {
    TestProbe<AcceptReply> probe = kit.createTestProbe(AcceptReply.class);
    RunRequest request =
        new RunRequest(
            ExecutionContext.of(new AgentId("acme", "lab", "a"), new RunId("r1")),
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
    return colony
        .agent(id)
        .attach(new RunId("r1"), RunOptions.namespace("test"))
        .result()
        .toCompletableFuture()
        .orTimeout(20, TimeUnit.SECONDS)
        .join();
  }
}
