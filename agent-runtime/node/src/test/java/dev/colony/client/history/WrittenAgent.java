package dev.colony.client.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.history.AgentHistory.SnapshotSpacing;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceReply.Timings;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.PriceTable;
import dev.colony.journal.JournalReader;
import dev.colony.journal.pekko.JournalExtension;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;

/** An agent that only has a journal, in Redis, with snapshots as a living one takes them. */
public final class WrittenAgent implements AutoCloseable {

  public static final Instant START = Instant.parse("2026-11-22T04:00:00Z");

  public static final Lifecycle LIFECYCLE =
      new Lifecycle(
          new RunLimits(
              RunBudget.OF_NODE.iterations(1_000_000).time(Duration.ofHours(1)),
              RunBudget.OF_NODE,
              64,
              4,
              1 << 20,
              4 << 20,
              3,
              PriceTable.FREE,
              new RunLimits.SuspensionLimits(Duration.ofHours(1), 64, Duration.ofSeconds(10)),
              new RunLimits.Step(256, 4_000_000)));

  public final AgentId id = new AgentId("acme", "c-" + UUID.randomUUID(), "a");
  private final ActorSystem<Scribe.Journal> system;
  private int written;

  /**
   * @param keep as {@code colony.agent.history.keep} has it
   */
  public WrittenAgent(int snapshotEvery, String keep) {
    system =
        ActorSystem.create(
            new Scribe(id, LIFECYCLE, new SnapshotSpacing(snapshotEvery)),
            "scribe",
            ConfigFactory.parseString(
                    """
                    pekko.persistence.journal.plugin = "colony.agent.journal"
                    pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
                    pekko.loglevel = warning
                    pekko.coordinated-shutdown.exit-jvm = off
                    pekko.actor.provider = local
                    colony.agent.journal.redis-uri = "%s"
                    colony.agent.history.keep = "%s"
                    """
                        .formatted(TestRedis.shared().uri(), keep))
                .withFallback(ConfigFactory.load()));
  }

  public JournalReader reader() {
    return JournalExtension.reader(system);
  }

  /** How many events it has. */
  public int written() {
    return written;
  }

  /** Appends events at once; the state after them. */
  public AgentSnapshot journal(AgentEvent... events) {
    written += events.length;
    return AskPattern.<Scribe.Journal, AgentSnapshot>ask(
            system,
            (ActorRef<AgentSnapshot> replyTo) -> new Scribe.Journal(List.of(events), replyTo),
            Duration.ofSeconds(60),
            system.scheduler())
        .toCompletableFuture()
        .join();
  }

  public AgentEvent[] born() {
    return new AgentEvent[] {
      new AgentEvent.Spawned(AgentBlueprint.of(Blueprint.of("test.policy")), START),
      new AgentEvent.Claimed(1, "node-1", START)
    };
  }

  public AgentEvent accepted(String run) {
    return new AgentEvent.RunAccepted(
        new RunRequest(
            ExecutionContext.of(id, new RunId(run)),
            "work",
            JsonNodeFactory.instance.nullNode(),
            "tester",
            START),
        1,
        START);
  }

  /** Of a call of {@code large}, which is gpt-5, that cost a half. */
  public static AgentEvent answered(String name) {
    return new AgentEvent.ModelAnswered(
        name,
        new InferenceReply(
            name,
            "yes",
            List.of(),
            "",
            FinishReason.STOP,
            new Usage(10, 1, 5),
            Timings.NONE,
            "gpt-5",
            "large",
            "replica",
            false),
        false,
        Optional.of(new BigDecimal("0.5")),
        START);
  }

  /** A model's answer and a step of one action, a second later. */
  public static AgentEvent[] stepped(int run, int step) {
    return stepped(step, IntNode.valueOf(100 * run + step));
  }

  public static AgentEvent[] stepped(int step, JsonNode output) {
    Usage within = new Usage(1, 0, 2);
    ActionResult result =
        ActionResult.succeeded("a" + step, output)
            .used(within, List.of(new ActionResult.ModelUse("tiny", "", within)));
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

  public static AgentEvent[] ended(String run) {
    return new AgentEvent[] {
      new AgentEvent.RunCompleted(
          AgentRun.completed(new RunId(run), IntNode.valueOf(1), RunStats.NONE), START),
      new AgentEvent.ResultPublished(new RunId(run), 0, START)
    };
  }

  @Override
  public void close() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
  }
}
