package dev.colony.node.runtime;

import static dev.colony.agent.ResumptionCondition.all;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.ResumptionCondition.Custom;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.client.AgentSignal;
import dev.colony.core.dispatch.Backoff;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The singleton that looks at times and sweeps, alone and when its node goes. */
class ResumptionTimerTest {

  private final Blackboards boards = new InMemoryBlackboards();
  private ActorTestKit one;
  private ActorTestKit two;
  private Duration look;
  private volatile Instant now = Instant.parse("2026-11-22T07:00:00Z");

  @AfterEach
  void stop() {
    one.shutdownTestKit();
    if (two != null) {
      two.shutdownTestKit();
    }
    boards.close();
  }

  @Test
  void aTimeWakesItsAgentWithoutWaitingForTheNextLook() {
    one = node(Duration.ofHours(1), Optional.empty());
    now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    Resumptions resumptions = start(one);
    enter(resumptions, "a", new At(now.plusMillis(50)));
    now = now.plusMillis(50);
    await().untilAsserted(() -> assertThat(met("a")).isEqualTo(1));
  }

  @Test
  void aTimeThatItsClockJumpsOverWakesItsAgent() {
    one = node(Duration.ofMillis(20), Optional.empty());
    Resumptions resumptions = start(one);
    enter(resumptions, "a", new At(now.plusSeconds(3_600)));
    enter(resumptions, "b", new At(now.plusSeconds(7_200)));
    now = now.plusSeconds(3_600);
    await().untilAsserted(() -> assertThat(met("a")).isEqualTo(1));
    assertThat(met("b")).isZero();
  }

  @Test
  void whereItsNodeGoesTheNextOneSweepsAndGoesOn() {
    one = node(Duration.ofMillis(20), Optional.empty());
    start(one);
    two = node(Duration.ofMillis(20), Optional.of(one));
    Resumptions second = start(two);
    enter(second, "timed", new At(now.plusSeconds(60)));
    enter(second, "waiting", all(new Custom("go"), new At(now.plusSeconds(60))));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> Cluster.get(two.system()).selfMember().status() == MemberStatus.up());
    one.shutdownTestKit();
    now = now.plusSeconds(61);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(met("timed")).isEqualTo(1));
    join(second.happened(new Trigger.Signalled(agent("waiting"), "go")));
    assertThat(met("waiting")).isEqualTo(1);
  }

  private ActorTestKit node(Duration newLook, Optional<ActorTestKit> seed) {
    look = newLook;
    ActorTestKit kit = ActorTestKit.create(LocalNode.config(""));
    Cluster cluster = Cluster.get(kit.system());
    cluster
        .manager()
        .tell(
            Join.create(
                seed.map(it -> Cluster.get(it.system())).orElse(cluster).selfMember().address()));
    return kit;
  }

  private Resumptions start(ActorTestKit kit) {
    return SuspendedAgents.start(
            kit.system(),
            new Backoff(Duration.ofMillis(10), Duration.ofMillis(50)),
            NodePorts.none()
                .with(Blackboards.class, boards)
                .with(
                    NodeBounds.class,
                    Bounds.resumption(look, Duration.ofHours(1), Duration.ofMinutes(1))),
            CapacityQueue.WaitOrder.BY_AGE,
            () -> now)
        .resumptions();
  }

  private void enter(Resumptions resumptions, String name, ResumptionCondition until) {
    join(
        resumptions.enter(
            agent(name), new Suspension(1, SuspensionCause.BLOCKED, "", Optional.of(until), now)));
  }

  private static AgentId agent(String name) {
    return new AgentId("acme", "timed", name);
  }

  private long met(String name) {
    long met = 0;
    for (int bucket = 0; bucket < boards.inbox().buckets(); bucket++) {
      for (InboxMessage message : join(boards.inbox().pending(bucket, 100))) {
        if (message instanceof InboxMessage.Request request
            && AgentSignal.of(request).orElse(null) instanceof AgentSignal.ConditionMet wake
            && wake.agent().equals(agent(name))) {
          met++;
        }
      }
    }
    return met;
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
