package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader;
import dev.colony.journal.pekko.JournalExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The node that evaluates a condition dies at each point: the agent goes on all the same, once. */
@Tag("faults")
class KilledEvaluatorTest {

  private static final Scope SCOPE = Scope.colony("acme", "evaluated");

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final RedisConnections connections =
      new RedisConnections(redis.uri(), Duration.ofSeconds(20));
  private final Blackboards client = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);
  private final BlackboardColony colony =
      new BlackboardColony(
          client,
          HomeResolver.byHash(8),
          Settings.read(ClientSettings.class, LocalNode.config("")));
  private final DyingNodes nodes = new DyingNodes(redis);

  @AfterEach
  void stop() {
    nodes.close();
    client.close();
    connections.close();
    redis.close();
  }

  /** What agents wait for, and how it comes about. */
  private enum Kind {
    TIME,
    SIGNAL,
    WRITE,
    END
  }

  @Test
  @Timeout(900)
  void agentsGoOnOnceWhoeverDiesOverTheirConditions() throws Exception {
    List<AgentHandle> agents = new ArrayList<>();
    List<Kind> kinds = new ArrayList<>(List.of(Kind.values()));
    for (DyingNode.Death death : DyingNode.Death.ofEvaluators()) {
      Process node = nodes.start(death);
      Map<Kind, AgentHandle> asleep = new EnumMap<>(Kind.class);
      List<RunHandle> runs = new ArrayList<>();
      AgentHandle ending = spawn(death + "-ending");
      for (Kind kind : kinds) {
        AgentHandle agent = spawn(death + "-" + kind);
        asleep.put(kind, agent);
        join(agent.suspend("test", until(kind, agent.id(), ending.id())));
        runs.add(agent.run(TestTypes.input(1, "internal"), RunOptions.namespace("test")));
      }
      await()
          .atMost(Duration.ofSeconds(120))
          .until(() -> !node.isAlive() || asleep.values().stream().allMatch(this::suspended));
      // What comes first is what the node dies over, unless time is faster; no process lives to see
      // the
      // rest.
      for (Kind kind : kinds) {
        happen(kind, asleep.get(kind), ending);
      }
      assertThat(node.waitFor(120, TimeUnit.SECONDS)).as("%s\n%s", death, nodes.said()).isTrue();
      assertThat(node.exitValue()).isEqualTo(DyingNode.DEAD);
      Process survivor = nodes.start(DyingNode.Death.NEVER);
      for (RunHandle run : runs) {
        AgentRun result = run.result().toCompletableFuture().get(120, TimeUnit.SECONDS);
        assertThat(result.output().asText()).as(nodes.said()).isEqualTo("a0=SUCCEEDED");
      }
      survivor.destroyForcibly().waitFor();
      agents.addAll(asleep.values());
      Collections.rotate(kinds, -1);
    }
    for (AgentHandle agent : agents) {
      assertThat(resumptions(agent.id())).as("resumptions of " + agent.id()).isEqualTo(1);
    }
  }

  private AgentHandle spawn(String name) {
    return join(colony.spawn(new AgentId("acme", "evaluated", name), TestTypes.BLUEPRINT));
  }

  private boolean suspended(AgentHandle agent) {
    return join(agent.state()).filter(it -> it.state() == AgentState.SUSPENDED).isPresent();
  }

  private static ResumptionCondition until(Kind kind, AgentId agent, AgentId ending) {
    return switch (kind) {
      case TIME -> new ResumptionCondition.At(Instant.now().plusSeconds(8));
      case SIGNAL -> new ResumptionCondition.Custom("go");
      case WRITE -> new ResumptionCondition.Event(SCOPE, new KeyGlob(agent.name() + ":*"));
      case END -> new ResumptionCondition.ChildrenCompleted(List.of(ending));
    };
  }

  private void happen(Kind kind, AgentHandle agent, AgentHandle ending) {
    switch (kind) {
      case TIME -> {}
      case SIGNAL -> join(agent.signal("go", "test"));
      case WRITE ->
          join(client.open(SCOPE, "client").write(Write.value(agent.id().name() + ":x", 1)));
      case END -> join(ending.stop("test"));
    }
  }

  /** How often it has gone on, by its journal. */
  private long resumptions(AgentId agent) throws Exception {
    ActorSystem<Void> reading =
        ActorSystem.create(
            Behaviors.empty(),
            "reading",
            ConfigFactory.parseString(
                    """
                    pekko.actor.provider = local
                    pekko.coordinated-shutdown.exit-jvm = off
                    pekko.persistence.journal.plugin = "colony.agent.journal"
                    pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
                    colony.agent.journal.redis-uri = "%s"
                    """
                        .formatted(redis.uri()))
                .withFallback(ConfigFactory.load()));
    try {
      JournalReader journal = JournalExtension.reader(reading);
      String id = agent.persistenceId();
      return join(journal.reach(id).thenCompose(reach -> journal.events(id, 1, reach.last())))
          .stream()
          .map(JournalReader.Stored::content)
          .filter(AgentEvent.Transitioned.class::isInstance)
          .filter(one -> ((AgentEvent.Transitioned) one).from() == AgentState.SUSPENDED)
          .count();
    } finally {
      reading.terminate();
      reading.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
