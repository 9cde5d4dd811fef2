package dev.colony.agent.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.lifecycle.ActiveRun;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.Outcomes;
import dev.colony.agent.lifecycle.Watch;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.vcm.PageGroupId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.serialization.SerializationExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** All that is journaled or sent comes back as it was. */
class WireTest {

  private static final ActorTestKit KIT =
      ActorTestKit.create(
          ConfigFactory.parseString("pekko.actor.provider = local")
              .withFallback(ConfigFactory.load()));
  private static final Instant AT = Instant.parse("2026-01-02T03:04:05.678Z");
  private static final RunRequest REQUEST =
      new RunRequest(
          ExecutionContext.of(new AgentId("acme", "lab", "a"), new RunId("r1")),
          "test",
          JsonNodeFactory.instance.objectNode().put("q", 1),
          "me",
          AT);
  private static final InferenceReply REPLY =
      new InferenceReply("call", "text", new Usage(1, 2, 3), "replica", true);
  private static final Action ACTION =
      Action.external("a", "key", JsonNodeFactory.instance.textNode("p"), false);
  private static final AgentRun RUN =
      AgentRun.completed(new RunId("r1"), JsonNodeFactory.instance.arrayNode(), RunStats.NONE);
  private static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(
              new Blueprint("policy", JsonNodeFactory.instance.objectNode().put("n", 1.5)),
              Blueprint.of("capability"))
          .pages(new PageGroupId("a".repeat(26)));
  private static final Watch WATCH =
      Watch.begun(
          Scope.colony("acme", "billing").namespace("n"),
          Set.of(new KeyGlob("a:*"), new KeyGlob("b")),
          new Position(1, 2),
          Optional.of(new Position(3, 4)));
  private static final List<AgentEvent> EVENTS =
      List.of(
          new AgentEvent.Spawned(BLUEPRINT, AT),
          new AgentEvent.Claimed(3, "node", AT),
          new AgentEvent.RunAccepted(REQUEST, 2, AT),
          new AgentEvent.ModelAnswered(REPLY, true, AT),
          new AgentEvent.ModelFailed(new ModelFailure("why", true), AT),
          new AgentEvent.ActionIntended(ACTION, AT),
          new AgentEvent.StepCompleted(4, ActionOutcome.failed("a", "why"), AT),
          new AgentEvent.StepCompleted(
              5, ActionOutcome.succeeded("b", JsonNodeFactory.instance.numberNode(5)), AT),
          new AgentEvent.RunCompleted(RUN, AT),
          new AgentEvent.RunCompleted(AgentRun.failed(new RunId("r"), "why", RunStats.NONE), AT),
          new AgentEvent.ResultPublished(new RunId("r1"), 1, AT),
          new AgentEvent.ScopesWatched(List.of(WATCH), 1, AT),
          new AgentEvent.EventsNoticed(WATCH.scope(), new Position(3, 4), AT),
          new AgentEvent.EventsTaken(
              WATCH.scope(), new Position(3, 4), Optional.of(new Position(5, 6)), 2, AT),
          new AgentEvent.EventsTaken(WATCH.scope(), new Position(3, 4), Optional.empty(), 0, AT));

  @AfterAll
  static void stop() {
    KIT.shutdownTestKit();
  }

  @Test
  void everyEventComesBack() {
    EVENTS.forEach(event -> KIT.serializationTestKit().verifySerialization(event, true));
    assertThat(EVENTS.stream().map(Object::getClass).collect(Collectors.toSet()))
        .isEqualTo(Set.of(AgentEvent.class.getPermittedSubclasses()));
  }

  @Test
  void everyStateComesBack() {
    ActiveRun active =
        new ActiveRun(
            RunStats.NONE,
            Outcomes.of(List.of(ActionOutcome.interrupted("a"))),
            Optional.of(REPLY),
            Optional.of(new ModelFailure("why", false)),
            Optional.of(ACTION),
            2,
            Optional.of(RUN));
    Stream.of(
            AgentSnapshot.UNBORN,
            new AgentSnapshot(
                Optional.of(BLUEPRINT),
                3,
                "node",
                List.of(REQUEST),
                Optional.of(active),
                List.of(new RunId("r0")),
                List.of(WATCH)))
        .forEach(state -> KIT.serializationTestKit().verifySerialization(state, true));
  }

  @Test
  void everyMessageBetweenNodesComesBack() {
    var probe = KIT.createTestProbe(AcceptReply.class);
    var wakes = KIT.createTestProbe(WakeReply.class);
    Stream.of(
            new AgentMessage.Accept(REQUEST, probe.getRef()),
            new AgentMessage.Start(probe.getRef()),
            new AgentMessage.Notice(WATCH.scope(), new Position(3, 4), wakes.getRef()),
            new AgentMessage.Wake(),
            new WakeReply.Noticed(new Position(3, 4)),
            new WakeReply.Ignored(),
            new AcceptReply.Accepted(),
            new AcceptReply.Rejected("why"))
        .forEach(message -> KIT.serializationTestKit().verifySerialization(message, true));
  }

  @Test
  void aStepsTwoRecordsAreLittleMoreThanTheirPayload() {
    byte[] event = serialized(EVENTS.get(3));
    assertThat(event.length).isLessThan(250);
  }

  private static byte[] serialized(Object event) {
    return SerializationExtension.get(KIT.system()).serialize(event).get();
  }
}
