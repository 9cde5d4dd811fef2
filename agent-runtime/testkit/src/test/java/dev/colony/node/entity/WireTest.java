package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Intent;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.entity.EntityClient.WakeReply;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.statistics.Statistics;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.serialization.SerializationExtension;

/** All that agents are sent comes back as it was. */
class WireTest {

  private static final ActorTestKit KIT =
      ActorTestKit.create(
          ConfigFactory.parseString("pekko.actor.provider = local")
              .withFallback(ConfigFactory.load()));
  private static final TestProbe<AcceptReply> REPLIES = KIT.createTestProbe(AcceptReply.class);
  private static final TestProbe<WakeReply> WAKES = KIT.createTestProbe(WakeReply.class);

  @AfterContainer
  static void stop() {
    KIT.shutdownTestKit();
  }

  @Property(tries = 1000)
  void everyMessageBetweenNodesComesBack(@ForAll("messages") Object message) {
    KIT.serializationTestKit().verifySerialization(message, true);
    Statistics.collect(message.getClass().getSimpleName());
    Statistics.coverage(seen ->
        Stream.of(AgentMessage.Remote.class, AcceptReply.class, WakeReply.class)
            .flatMap(WireTest::leaves)
            .forEach(type -> seen.check(type.getSimpleName()).count(count -> count > 0)));
  }

  private static Stream<Class<?>> leaves(Class<?> type) {
    return type.isSealed()
        ? Stream.<Class<?>>of(type.getPermittedSubclasses()).flatMap(WireTest::leaves)
        : Stream.of(type);
  }

  @Example
  void anUnbornAgentComesBack() {
    KIT.serializationTestKit().verifySerialization(AgentSnapshot.UNBORN, true);
  }

  @Example
  void aModelsAnswerIsLittleMoreThanItsPayload() {
    InferenceReply reply = InferenceReply.text("call", "text", new Usage(1, 2, 3), "replica", true);
    AgentEvent event =
        new AgentEvent.ModelAnswered(
            "plan", reply, true, Optional.empty(), Instant.parse("2026-01-02T03:04:05.678Z"));
    assertThat(SerializationExtension.get(KIT.system()).serialize(event).get().length)
        .isLessThan(250);
  }

  private static AgentMessage apply(Intent intent, Optional<Position> signal) {
    return new AgentMessage.Apply(intent, signal, REPLIES.getRef());
  }

  @Provide
  Arbitrary<Object> messages() {
    return Arbitraries.oneOf(
        AnyRecord.request().map(request -> new AgentMessage.Accept(request, REPLIES.getRef())),
        Arbitraries.just(new AgentMessage.Start(REPLIES.getRef())),
        Combinators.combine(AnyRecord.scope(), AnyRecord.position())
            .as((scope, at) -> new AgentMessage.Notice(scope, at, WAKES.getRef())),
        Combinators.combine(
                Arbitraries.of(LifecycleCommand.class), AnyRecord.text(), AnyRecord.position())
            .as((command, why, signal) ->
                apply(new Intent.ChangeState(command, why), Optional.of(signal))),
        Combinators.combine(
                Arbitraries.of(SuspensionCause.class),
                AnyRecord.text(),
                AnyRecord.condition().optional(),
                AnyRecord.position())
            .as((cause, why, until, signal) ->
                apply(new Intent.Suspend(cause, why, until), Optional.of(signal))),
        Combinators.combine(
                Arbitraries.of(OptionalLong.empty(), OptionalLong.of(7)), AnyRecord.text())
            .as((number, why) -> apply(new Intent.Resume(number, why), Optional.empty())),
        Combinators.combine(Arbitraries.of(true, false), AnyRecord.text(), AnyRecord.position())
            .as((granted, text, signal) ->
                apply(new Intent.Approve("pay-1", granted, text, text), Optional.of(signal))),
        AnyRecord.text().map(why -> apply(new Intent.Rehome(3, why), Optional.empty())),
        Combinators.combine(AnyRecord.run(), AnyRecord.text())
            .as((run, why) -> apply(new Intent.Cancel(run, why), Optional.empty())),
        Combinators.combine(AnyRecord.run(), AnyRecord.text(), AnyRecord.position())
            .as((run, why, signal) ->
                apply(new Intent.Rewind(run, 3, 2, why), Optional.of(signal))),
        AnyRecord.text()
            .map(why ->
                new AgentMessage.ChildEnded(
                    new AgentId("acme", "lab", "child"), why, REPLIES.getRef())),
        Arbitraries.just(new AgentMessage.Wake()),
        AnyRecord.position().map(WakeReply.Noticed::new),
        Arbitraries.just(new WakeReply.Ignored()),
        Arbitraries.just(new AcceptReply.Accepted()),
        AnyRecord.text().map(AcceptReply.Rejected::new),
        AnyRecord.text().map(AcceptReply.Busy::new));
  }
}
