package dev.colony.agent.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentKind;
import dev.colony.agent.AgentResources;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.lifecycle.ActiveRun;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.Calls;
import dev.colony.agent.lifecycle.Intended;
import dev.colony.agent.lifecycle.LifecycleCommand;
import dev.colony.agent.lifecycle.QueuedRun;
import dev.colony.agent.step.Mind;
import dev.colony.blackboard.Scope;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.vcm.PageGroupId;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.statistics.Statistics;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.serialization.SerializationExtension;

/** All that is journaled or sent comes back as it was. */
class WireTest {

  private static final ActorTestKit KIT =
      ActorTestKit.create(
          ConfigFactory.parseString("pekko.actor.provider = local")
              .withFallback(ConfigFactory.load()));
  private static final TestProbe<AcceptReply> REPLIES = KIT.createTestProbe(AcceptReply.class);
  private static final TestProbe<WakeReply> WAKES = KIT.createTestProbe(WakeReply.class);
  private static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(
              new Blueprint("policy", 3, JsonNodeFactory.instance.objectNode().put("n", 1.5)),
              Blueprint.of("capability"))
          .capability(
              CapabilityBlueprint.of(Blueprint.of("other"))
                  .key("mine")
                  .scope(Scope.agent("acme", "billing", "other"))
                  .namespace("n")
                  .exclude("mine.not"))
          .stream(
              new StreamBlueprint(
                  "s", Blueprint.of("stream.json"), Map.of("event", Blueprint.of("stream.any")), 7))
          .pages(new PageGroupId("a".repeat(26)))
          .kind(AgentKind.VCM_BOUND)
          .budget(
              new RunBudget(
                  Optional.of(3),
                  Optional.of(Duration.ofSeconds(4)),
                  Optional.of(5L),
                  Optional.of(new BigDecimal("0.25"))))
          .resources(new AgentResources(7, 8, 2));

  @AfterContainer
  static void stop() {
    KIT.shutdownTestKit();
  }

  @Property(tries = 1500)
  void everyEventComesBack(@ForAll("events") AgentEvent event) {
    KIT.serializationTestKit().verifySerialization(event, true);
    Statistics.collect(event.getClass().getSimpleName());
    Statistics.coverage(seen -> {
      for (Class<?> type : AgentEvent.class.getPermittedSubclasses()) {
        seen.check(type.getSimpleName()).count(count -> count > 0);
      }
    });
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void everyStateComesBack(@ForAll("states") AgentSnapshot state) {
    KIT.serializationTestKit().verifySerialization(state, true);
  }

  @Property(tries = 1000)
  void everyMessageBetweenNodesComesBack(@ForAll("messages") Object message) {
    KIT.serializationTestKit().verifySerialization(message, true);
    Statistics.collect(message.getClass().getSimpleName());
    Statistics.coverage(seen ->
        Stream.of(AgentMessage.Remote.class, AcceptReply.class, WakeReply.class)
            .flatMap(port -> Stream.of(port.getPermittedSubclasses()))
            .forEach(type -> seen.check(type.getSimpleName()).count(count -> count > 0)));
  }

  @Example
  void anUnbornAgentComesBack() {
    KIT.serializationTestKit().verifySerialization(AgentSnapshot.UNBORN, true);
  }

  @Example
  void aModelsAnswerIsLittleMoreThanItsPayload() {
    InferenceReply reply = new InferenceReply("call", "text", new Usage(1, 2, 3), "replica", true);
    AgentEvent event =
        new AgentEvent.ModelAnswered(
            "plan", reply, true, Optional.empty(), Instant.parse("2026-01-02T03:04:05.678Z"));
    assertThat(SerializationExtension.get(KIT.system()).serialize(event).get().length)
        .isLessThan(250);
  }

  @Provide
  Arbitrary<AgentEvent> events() {
    Arbitrary<Instant> at = AnyRecord.instant();
    Arbitrary<Integer> left = Arbitraries.integers().between(0, 9);
    Arbitrary<AgentState> state = Arbitraries.of(AgentState.class);
    return Arbitraries.oneOf(
        at.map(when -> new AgentEvent.Spawned(BLUEPRINT, when)),
        Combinators.combine(Arbitraries.longs(), AnyRecord.text(), at).as(AgentEvent.Claimed::new),
        Combinators.combine(AnyRecord.request(), left, at).as(AgentEvent.RunAccepted::new),
        Combinators.combine(
                AnyRecord.name(),
                AnyRecord.reply(),
                Arbitraries.of(true, false),
                AnyRecord.money().optional(),
                at)
            .as(AgentEvent.ModelAnswered::new),
        Combinators.combine(AnyRecord.action(), Arbitraries.of(true, false), AnyRecord.delta(), at)
            .as(AgentEvent.ActionIntended::new),
        Combinators.combine(
                left,
                AnyRecord.call().optional(),
                AnyRecord.delta(),
                AnyRecord.money().optional(),
                AnyRecord.parked().optional(),
                AnyRecord.error().optional(),
                at)
            .as(AgentEvent.StepCompleted::new),
        Combinators.combine(AnyRecord.ended(), at).as(AgentEvent.RunCompleted::new),
        Combinators.combine(AnyRecord.run(), AnyRecord.text(), at)
            .as(AgentEvent.CancelRequested::new),
        Combinators.combine(AnyRecord.run(), left, at).as(AgentEvent.ResultPublished::new),
        Combinators.combine(AnyRecord.watches(), left, at).as(AgentEvent.ScopesWatched::new),
        Combinators.combine(AnyRecord.scope(), AnyRecord.position(), left, at)
            .as(AgentEvent.EventsNoticed::new),
        Combinators.combine(
                AnyRecord.scope(),
                AnyRecord.batch().optional(),
                AnyRecord.position(),
                AnyRecord.position().optional(),
                left,
                at)
            .as(AgentEvent.EventsTaken::new),
        Combinators.combine(
                Arbitraries.of(LifecycleCommand.class), state, state, AnyRecord.text(), left, at)
            .as(AgentEvent.Transitioned::new),
        Combinators.combine(state, left, at).as(AgentEvent.Announced::new));
  }

  @Provide
  Arbitrary<AgentSnapshot> states() {
    Arbitrary<Intended> intended =
        Combinators.combine(
                AnyRecord.action(),
                Arbitraries.of(true, false),
                AnyRecord.delta(),
                Arbitraries.longs().greaterOrEqual(1))
            .as(Intended::new);
    Arbitrary<ActiveRun> active =
        AnyRecord.ended()
            .optional()
            .flatMap(ended ->
                Combinators.combine(
                        AnyRecord.stats(),
                        AnyRecord.call().list().ofMaxSize(3).map(Calls::of),
                        AnyRecord.object(),
                        AnyRecord.session().optional(),
                        AnyRecord.reply().map(reply -> Map.of("plan", reply)),
                        AnyRecord.batch().list().ofMaxSize(2),
                        intended.optional(),
                        AnyRecord.parked().optional())
                    .as((stats, history, custom, session, replies, batches, intent, parked) ->
                        new ActiveRun(
                            stats, history, custom, session, replies, batches, intent, parked,
                            ended)));
    Arbitrary<QueuedRun> queued =
        Combinators.combine(AnyRecord.request(), AnyRecord.instant(), AnyRecord.text().optional())
            .as(QueuedRun::new);
    Arbitrary<Mind> mind =
        AnyRecord.delta()
            .list()
            .ofMaxSize(3)
            .map(deltas -> {
              Mind grown = Mind.EMPTY;
              for (var delta : deltas) {
                grown = grown.after(delta);
              }
              return grown;
            });
    return Combinators.combine(
            Arbitraries.of(AgentState.class),
            AnyRecord.text().optional(),
            Arbitraries.of(true, false),
            queued.list().ofMaxSize(2),
            active.optional(),
            AnyRecord.run().list().ofMaxSize(3),
            AnyRecord.watches(),
            mind)
        .as((state, reason, evicted, queue, run, finished, watches, kept) ->
            new AgentSnapshot(
                Optional.of(BLUEPRINT),
                state,
                state,
                reason,
                evicted,
                3,
                "node",
                queue,
                run,
                finished,
                watches,
                kept));
  }

  @Provide
  Arbitrary<Object> messages() {
    return Arbitraries.oneOf(
        AnyRecord.request().map(request -> new AgentMessage.Accept(request, REPLIES.getRef())),
        Arbitraries.just(new AgentMessage.Start(REPLIES.getRef())),
        Combinators.combine(AnyRecord.scope(), AnyRecord.position())
            .as((scope, at) -> new AgentMessage.Notice(scope, at, WAKES.getRef())),
        Combinators.combine(Arbitraries.of(LifecycleCommand.class), AnyRecord.text())
            .as((command, why) -> new AgentMessage.Transition(command, why, REPLIES.getRef())),
        Combinators.combine(AnyRecord.run(), AnyRecord.text())
            .as((run, why) -> new AgentMessage.Cancel(run, why, REPLIES.getRef())),
        AnyRecord.text()
            .map(why ->
                new AgentMessage.ChildEnded(
                    new AgentId("acme", "lab", "child"), why, REPLIES.getRef())),
        Arbitraries.just(new AgentMessage.Wake()),
        AnyRecord.position().map(WakeReply.Noticed::new),
        Arbitraries.just(new WakeReply.Ignored()),
        Arbitraries.just(new AcceptReply.Accepted()),
        AnyRecord.text().map(AcceptReply.Rejected::new));
  }
}
