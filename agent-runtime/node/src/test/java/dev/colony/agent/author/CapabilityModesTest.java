package dev.colony.agent.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventStream.Subscriptions;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.capability.Greeter;
import dev.colony.core.capability.Greeter.Farewell;
import dev.colony.core.capability.Greeter.Greeting;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a capability can do in each of the four modes, and what the modes differ in. */
class CapabilityModesTest {

  private static final Scope OWN = Scope.agent("acme", "lab", "a1").namespace("hello");
  private static final Scope CHILD = Scope.agent("acme", "lab", "child").namespace("hello");
  private static final Scope GAME = Scope.session("acme", "lab", "game-1");

  private final TestAgent agent = TestAgent.named("a1");

  /** Where a capability stands. */
  enum Mode {
    LOCAL(OWN),
    REMOTE(CHILD),
    SHARED(GAME),
    DETACHED(CHILD);

    private final Scope scope;

    Mode(Scope scope) {
      this.scope = scope;
    }
  }

  private Greeter greeter(Mode mode) {
    return new Greeter(
        mode == Mode.DETACHED
            ? CapabilityContext.detached(agent.blackboards(), mode.scope, "greeter")
            : new CapabilityContext(Optional.of(agent), "greeter", agent.blackboard(mode.scope)));
  }

  /** The same scope, as another agent sees it. */
  private Blackboard other(Mode mode) {
    return agent.blackboards().open(mode.scope, "acme/lab/other");
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(10, TimeUnit.SECONDS);
  }

  @Test
  void aBlueprintPutsItIntoNoOtherTenantAndNoOtherColony() {
    CapabilityBlueprint greeter = CapabilityBlueprint.of(Blueprint.of("test.greeter"));
    for (Scope own : List.of(OWN, CHILD, GAME, Scope.tenant("acme").namespace("hello"))) {
      assertThat(greeter.scope(own).scopeFor(agent.id())).isEqualTo(own);
    }
    for (Scope foreign :
        List.of(
            Scope.tenant("rival"),
            Scope.agent("rival", "lab", "a1"),
            Scope.colony("acme", "other"))) {
      assertThatThrownBy(() -> greeter.scope(foreign).scopeFor(agent.id()))
          .isInstanceOf(AgentException.class)
          .hasMessageContaining(foreign.path());
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPublishedStandsInItsScopeUnderTheKeyThatItKnows(Mode mode) throws Exception {
    Greeter greeter = greeter(mode);
    get(greeter.publish(new Greeting("ann", "hi"), "polite").toCompletableFuture());
    get(greeter.publish("mood", 7).toCompletableFuture());
    Entry entry = get(other(mode).read("greeting:ann").toCompletableFuture()).orElseThrow();
    assertThat(entry.as(Greeting.class)).isEqualTo(new Greeting("ann", "hi"));
    assertThat(entry.tags()).containsExactlyInAnyOrder("polite", "type:Greeting");
    assertThat(entry.createdBy())
        .isEqualTo(mode == Mode.DETACHED ? "greeter" : agent.id().persistenceId());
    assertThat(get(other(mode).read("mood").toCompletableFuture())).isPresent();
    assertThat(greeter.scope()).isEqualTo(mode.scope);
  }

  @ParameterizedTest
  @EnumSource
  void theResultOfARunIsThereNowOrLater(Mode mode) throws Exception {
    Greeter greeter = greeter(mode);
    CompletableFuture<AgentRun> later = greeter.resultFuture(new RunId("r7"));
    assertThat(later).isNotDone();
    AgentRun run = AgentRun.completed(new RunId("r7"), TextNode.valueOf("done"), RunStats.NONE);
    get(other(mode).write(Write.of("result:run:r7", run.toJson())).toCompletableFuture());
    assertThat(get(later)).isEqualTo(run);
    assertThat(get(greeter.resultFuture(new RunId("r7")))).isEqualTo(run);
  }

  @ParameterizedTest
  @EnumSource
  void theNextRecordOfATypeIsAwaited(Mode mode) throws Exception {
    Greeter greeter = greeter(mode);
    get(greeter.publish(new Farewell("early")).toCompletableFuture());
    CompletableFuture<Farewell> next = greeter.resultFuture(Farewell.class);
    get(greeter(mode).publish(new Greeting("ann", "hi")).toCompletableFuture());
    get(greeter(mode).publish(new Farewell("bob")).toCompletableFuture());
    assertThat(get(next)).isEqualTo(new Farewell("bob"));
  }

  @ParameterizedTest
  @EnumSource
  void eventsComeIntoAQueueInTheirOrderAndAFullOneLosesNone(Mode mode) throws Exception {
    Greeter greeter = greeter(mode);
    ArrayBlockingQueue<BlackboardEvent> queue = new ArrayBlockingQueue<>(2);
    EventStream stream = greeter.streamEventsTo(queue, "greeting:*");
    for (int i = 0; i < 20; i++) {
      get(greeter.publish(new Greeting("n" + i, "hi")).toCompletableFuture());
      get(greeter.publish(new Farewell("n" + i)).toCompletableFuture());
    }
    for (int i = 0; i < 20; i++) {
      BlackboardEvent event = queue.poll(10, TimeUnit.SECONDS);
      assertThat(event.entryKey()).contains("greeting:n" + i);
    }
    stream.close();
    get(stream.ended().toCompletableFuture());
    get(greeter.publish(new Greeting("after", "hi")).toCompletableFuture());
    assertThat(queue).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void eventsComeAsAStream(Mode mode) throws Exception {
    Greeter greeter = greeter(mode);
    CompletableFuture<BlackboardEvent> first = new CompletableFuture<>();
    greeter.events().subscribe(new First(first));
    get(greeter.publish("x", 1).toCompletableFuture());
    assertThat(get(first).entryKey()).contains("x");
  }

  private record First(CompletableFuture<BlackboardEvent> event)
      implements Flow.Subscriber<BlackboardEvent> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(1);
    }

    @Override
    public void onNext(BlackboardEvent one) {
      event.complete(one);
    }

    @Override
    public void onError(Throwable failure) {
      event.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      event.cancel(false);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatItListensToEndsWithIt(Mode mode) {
    Greeter greeter = greeter(mode);
    CompletableFuture<AgentRun> never = greeter.resultFuture(new RunId("r8"));
    EventStream stream = greeter.streamEventsTo(new ArrayBlockingQueue<>(1));
    greeter.close();
    assertThatThrownBy(() -> get(never)).isInstanceOf(CancellationException.class);
    assertThat(stream.ended().toCompletableFuture()).isCompleted();
    assertThatThrownBy(() -> greeter.resultFuture(new RunId("r9")))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aCapabilityListensOnlySoOften() {
    Greeter greeter = greeter(Mode.LOCAL);
    for (int i = 0; i < Subscriptions.MOST; i++) {
      greeter.resultFuture(new RunId("r" + i));
    }
    assertThatThrownBy(() -> greeter.resultFuture(Farewell.class))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("256 times");
    greeter.close();
  }

  @ParameterizedTest
  @EnumSource
  void eachEventGoesToEveryHandlerOfIt(Mode mode) throws Exception {
    Greeter greeter = greeter(mode);
    assertThat(
            CapabilityType.handle(
                greeter, mode.scope, event("greeting:ann", new Greeting("ann", "hi"))))
        .containsExactly(new EventHandler.Context("greeted", "hi"));
    assertThat(greeter.seen).containsExactlyInAnyOrder("greeting ann", "event greeting:ann");
    assertThat(CapabilityType.handle(greeter, mode.scope, event("farewell:ann", 1))).isEmpty();
    assertThat(CapabilityType.handle(greeter, mode.scope, event("other:ann", 1))).isEmpty();
    assertThat(CapabilityType.handle(greeter, Scope.tenant("acme"), event("greeting:ann", 1)))
        .isEmpty();
    assertThat(greeter.seen).hasSize(3);
  }

  @ParameterizedTest
  @EnumSource
  void aRequestIsHandledOnceWhicheverWayItComes(Mode mode) throws Exception {
    Greeter greeter = greeter(mode);
    RunRequest request =
        new RunRequest(agent.context(), "hello", TextNode.valueOf("x"), "test", Instant.now());
    EventBatch.Event written = event("request:run:r1", request.toJson());
    List<EventHandler.Context> asEvent = CapabilityType.handle(greeter, mode.scope, written);
    List<EventHandler.Context> asRun = CapabilityType.handle(greeter, request);
    boolean own = mode == Mode.LOCAL;
    assertThat(asRun).hasSize(own ? 1 : 0);
    assertThat(asEvent).hasSize(own ? 0 : 1);
    assertThat(greeter.seen).containsExactly("request r1");
  }

  @Test
  void aRunOfAnotherNamespaceIsNotHandled() throws Exception {
    Greeter greeter = greeter(Mode.LOCAL);
    RunRequest request =
        new RunRequest(agent.context(), "bye", TextNode.valueOf("x"), "test", Instant.now());
    assertThat(CapabilityType.handle(greeter, request)).isEmpty();
  }

  @Test
  void anEventWhoseValueDoesNotFitSaysSo() {
    Greeter greeter = greeter(Mode.LOCAL);
    assertThatThrownBy(() -> CapabilityType.handle(greeter, OWN, event("greeting:ann", 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("greeting:ann");
    EventBatch.Event large =
        new EventBatch.Event(
            "greeting:ann",
            Position.BEGINNING,
            Instant.now(),
            "w",
            0,
            1,
            Set.of(),
            Optional.empty());
    assertThatThrownBy(() -> CapabilityType.handle(greeter, OWN, large))
        .hasMessageContaining("too large");
  }

  @Test
  void aDetachedCapabilityHasNoAgent() {
    Greeter detached = greeter(Mode.DETACHED);
    assertThat(detached.detached()).isTrue();
    assertThatThrownBy(detached::agent)
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("greeter is detached");
    assertThat(greeter(Mode.REMOTE).agent()).isSameAs(agent);
  }

  private static EventBatch.Event event(String key, Object value) {
    return new EventBatch.Event(
        key,
        Position.BEGINNING,
        Instant.now(),
        "w",
        0,
        1,
        Set.of(),
        Optional.of(ValueMapper.write(key, value)));
  }
}
