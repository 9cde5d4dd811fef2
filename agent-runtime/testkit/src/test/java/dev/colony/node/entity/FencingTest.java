package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two incarnations of one agent are alive, as in a split cluster, on the journal in Redis. */
class FencingTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final AgentId ID = new AgentId("acme", "tests", "twice");

  @TempDir Path directory;
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final TestTypes types = new TestTypes();
  private RedisServerProcess redis;
  private ActorTestKit kit;
  private Unsharded agents;

  @BeforeEach
  void start() {
    redis = RedisServerProcess.ensure(ServerSettings.in(directory).withFsync(Fsync.NO));
    Config config =
        ConfigFactory.parseString(
                """
                pekko.actor.provider = local
                pekko.actor.serialize-messages = off
                pekko.persistence.journal.plugin = "colony.agent.journal"
                pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
                colony.agent.journal.redis-uri = "%s"
                """
                    .formatted(redis.uri()))
            .withFallback(LocalNode.config(""));
    kit = ActorTestKit.create(config);
    agents = new Unsharded(kit, boards, types);
    agents.colony.spawn(ID, TestTypes.BLUEPRINT).toCompletableFuture().join();
  }

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
    redis.stop();
    boards.close();
  }

  @Test
  void theOlderOneStopsAtItsNextWriteAndTheNewerOneGoesOn() throws Exception {
    CountDownLatch latch = types.hold("a0");
    ActorRef<AgentMessage> older = agents.incarnation(ID, "older");
    accept(older);
    String key = types.begun.poll(20, TimeUnit.SECONDS);
    ActorRef<AgentMessage> newer = agents.incarnation(ID, "newer");
    assertThat(types.begun.poll(20, TimeUnit.SECONDS)).isEqualTo(key);
    latch.countDown();
    kit.createTestProbe().expectTerminated(older, SOON);
    AgentRun run =
        await()
            .atMost(SOON)
            .until(
                () ->
                    agents
                        .colony
                        .agent(ID)
                        .ended(new RunId("r1"), RunOptions.namespace("test"))
                        .toCompletableFuture()
                        .join(),
                Optional::isPresent)
            .orElseThrow();
    assertThat(run.output().asText()).isEqualTo("a0=SUCCEEDED");
    accept(newer);
  }

  private void accept(ActorRef<AgentMessage> agent) {
    TestProbe<AcceptReply> probe = kit.createTestProbe(AcceptReply.class);
    RunRequest request =
        new RunRequest(
            ExecutionContext.of(ID, new RunId("r1")),
            "test",
            TestTypes.input(1, "internal"),
            "me",
            Instant.now());
    agent.tell(new AgentMessage.Accept(request, probe.getRef()));
    probe.expectMessage(SOON, new AcceptReply.Accepted());
  }
}
