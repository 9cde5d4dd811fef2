package dev.colony.agent.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.journal.JournalReader;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.Lifecycle;
import dev.colony.agent.lifecycle.Prices;
import dev.colony.agent.lifecycle.RunLimits;
import dev.colony.agent.lifecycle.SuspensionLimits;
import dev.colony.agent.step.StepDelta;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the journal tells of an agent, while the agent goes on. */
class AgentInspectorTest {

  private static final Instant START = Instant.parse("2026-11-22T04:00:00Z");
  private static final Lifecycle LIFECYCLE =
      new Lifecycle(
          new RunLimits(
              RunBudget.OF_NODE.iterations(1_000).time(Duration.ofHours(1)),
              RunBudget.OF_NODE,
              64,
              4,
              1 << 20,
              Prices.FREE,
              new SuspensionLimits(Duration.ofSeconds(10), 10, Duration.ofSeconds(10))));

  private final AgentId agent = new AgentId("acme", "c-" + UUID.randomUUID(), "a");
  private ActorSystem<Scribe.Journal> system = scribe(10);
  private AgentInspector inspector = new AgentInspector(JournalReader.of(system), LIFECYCLE);
  private int written;

  private ActorSystem<Scribe.Journal> scribe(int snapshotEvery) {
    return ActorSystem.create(
        new Scribe(agent, LIFECYCLE, snapshotEvery), "scribe", config(TestRedis.shared().uri()));
  }

  private static Config config(String redisUri) {
    return ConfigFactory.parseString(
            """
            pekko.persistence.journal.plugin = "colony.agent.journal"
            pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
            pekko.loglevel = warning
            pekko.coordinated-shutdown.exit-jvm = off
            pekko.actor.provider = local
            colony.agent.journal.redis-uri = "%s"
            """
                .formatted(redisUri))
        .withFallback(ConfigFactory.load());
  }

  @AfterEach
  void end() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
  }

  @Test
  void anAgentThatHasJournaledNothingIsNotThere() {
    assertThat(inspector.look(new AgentId("acme", "nowhere", "x")).toCompletableFuture().join())
        .isEmpty();
  }

  @Test
  void whatIsReadIsTheLiveStateOverSnapshotsAndDeletedEvents() {
    journal(born());
    for (int run = 0; run < 5; run++) {
      journal(accepted("r" + run));
      for (int step = 0; step < 7; step++) {
        AgentSnapshot live = journal(stepped(run, step));
        InspectedAgent read = look();
        assertThat(read.snapshot()).isEqualTo(live);
        assertThat(read.events()).isEqualTo(written);
      }
      AgentSnapshot live = journal(ended("r" + run));
      assertThat(look().snapshot()).isEqualTo(live);
    }
  }

  @Test
  void theLastStepsNameTheirRunsActionsTokensAndTimes() {
    journal(born());
    journal(accepted("r0"));
    journal(stepped(0, 0));
    journal(stepped(0, 1));
    journal(ended("r0"));
    journal(accepted("r1"));
    journal(stepped(1, 0));

    List<InspectedStep> all = steps(10);
    assertThat(all)
        .extracting(step -> step.run().orElseThrow() + "#" + step.step())
        .containsExactly("r0#0", "r0#1", "r1#0");
    InspectedStep last = all.getLast();
    assertThat(last.call().orElseThrow().action().key()).isEqualTo("test.do");
    assertThat(last.call().orElseThrow().result().output()).isEqualTo(IntNode.valueOf(100));
    assertThat(last.modelCalls()).isEqualTo(1);
    assertThat(last.usage()).isEqualTo(new Usage(11, 1, 7));
    assertThat(last.cost()).isEqualByComparingTo("0.75");
    assertThat(last.took()).contains(Duration.ofSeconds(1));
    assertThat(steps(1)).containsExactly(last);
    assertThat(steps(2)).isEqualTo(all.subList(1, 3));
  }

  /** A step of many records, so that the first stretch that is read holds too few steps. */
  @Test
  void asManyStepsAsAskedForAreFoundWhateverTheyTook() {
    end();
    system = scribe(1_000);
    inspector = new AgentInspector(JournalReader.of(system), LIFECYCLE);
    journal(born());
    journal(accepted("r0"));
    for (int step = 0; step < 3; step++) {
      journal(
          IntStream.range(0, 40).mapToObj(i -> answered("call" + i)).toArray(AgentEvent[]::new));
      journal(stepped(0, step));
    }
    assertThat(steps(1)).extracting(InspectedStep::modelCalls).containsExactly(41);
    assertThat(steps(9)).extracting(InspectedStep::modelCalls).containsExactly(41, 41, 41);
  }

  @Test
  void aStepOfWhichTheJournalHoldsTheEndOnlyIsLeftOut() {
    journal(born());
    journal(accepted("r0"));
    for (int step = 0; step < 50; step++) {
      journal(answered("one"), answered("two"));
      journal(stepped(0, step));
    }
    await()
        .untilAsserted(() -> {
          List<InspectedStep> held = steps(1_000);
          assertThat(held).isNotEmpty().hasSizeLessThan(15);
          assertThat(held).allMatch(step -> step.modelCalls() == 3);
          assertThat(held.getLast().step()).isEqualTo(49);
        });
  }

  @Test
  void anAgentIsReadWhileItWritesAndNoticesNothing() throws Exception {
    journal(born());
    journal(accepted("r0"));
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              for (int step = 0; step < 200; step++) {
                journal(stepped(0, step));
              }
            });
    List<Integer> seen = new ArrayList<>();
    while (writer.isAlive()) {
      InspectedAgent read = look();
      int steps = read.snapshot().active().orElseThrow().stats().steps();
      seen.add(steps);
      List<InspectedStep> last = inspector.steps(read, 3).toCompletableFuture().join();
      if (!last.isEmpty()) {
        assertThat(last.getLast().step()).isEqualTo(steps - 1);
      }
    }
    writer.join();
    assertThat(seen).isSorted();
    await()
        .untilAsserted(() ->
            assertThat(look().snapshot().active().orElseThrow().stats().steps()).isEqualTo(200));
  }

  private InspectedAgent look() {
    return inspector.look(agent).toCompletableFuture().join().orElseThrow();
  }

  private List<InspectedStep> steps(int count) {
    return inspector.steps(look(), count).toCompletableFuture().join();
  }

  private AgentSnapshot journal(AgentEvent... events) {
    written += events.length;
    return AskPattern.<Scribe.Journal, AgentSnapshot>ask(
            system,
            (ActorRef<AgentSnapshot> replyTo) -> new Scribe.Journal(List.of(events), replyTo),
            Duration.ofSeconds(60),
            system.scheduler())
        .toCompletableFuture()
        .join();
  }

  private static AgentEvent[] born() {
    return new AgentEvent[] {
      new AgentEvent.Spawned(AgentBlueprint.of(Blueprint.of("test.policy")), START),
      new AgentEvent.Claimed(1, "node-1", START)
    };
  }

  private AgentEvent[] accepted(String run) {
    return new AgentEvent[] {
      new AgentEvent.RunAccepted(
          new RunRequest(
              ExecutionContext.of(agent, new RunId(run)),
              "work",
              JsonNodeFactory.instance.nullNode(),
              "tester",
              START),
          1,
          START)
    };
  }

  private static AgentEvent answered(String name) {
    return new AgentEvent.ModelAnswered(
        name,
        new InferenceReply(name, "yes", new Usage(10, 1, 5), "replica", false),
        false,
        Optional.of(new BigDecimal("0.5")),
        START);
  }

  private static AgentEvent[] stepped(int run, int step) {
    ActionResult result =
        ActionResult.succeeded("a" + step, IntNode.valueOf(100 * run + step))
            .usage(new Usage(1, 0, 2));
    return new AgentEvent[] {
      answered("plan"),
      new AgentEvent.StepCompleted(
          step,
          Optional.of(
              new ActionCall(
                  Action.of("a" + step, "test.do", JsonNodeFactory.instance.objectNode()), result)),
          StepDelta.NONE,
          Optional.of(new BigDecimal("0.25")),
          Optional.empty(),
          Optional.empty(),
          START.plusSeconds(1))
    };
  }

  private static AgentEvent[] ended(String run) {
    return new AgentEvent[] {
      new AgentEvent.RunCompleted(
          AgentRun.completed(new RunId(run), IntNode.valueOf(1), RunStats.NONE), START),
      new AgentEvent.ResultPublished(new RunId(run), 0, START)
    };
  }
}
