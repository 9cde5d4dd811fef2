package dev.colony.core.dispatch;

import static dev.colony.core.dispatch.Dispatching.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an agent's code does wrong is told to its planner and hurts no other agent. */
class ContainmentTest {

  private final TestAgent agent = TestAgent.named("a1");
  private final Trouble trouble = new Trouble(agent.capabilityContext("bad"));
  private final Workshop workshop = new Workshop(agent.capabilityContext("shop"));
  private final Dispatching run =
      Dispatching.of(
          agent.with(trouble).with(workshop), 1, bounds(Duration.ofMillis(50), 1, 1_000, 2));

  private static DispatchSettings.Bounds bounds(
      Duration grace, int abandoned, int queue, int abandonedComputing) {
    DispatchSettings.Bounds usual = DispatchSettings.Bounds.USUAL;
    return new DispatchSettings.Bounds(
        grace, abandoned, queue, abandonedComputing, usual.retry(), usual.controlAfter());
  }

  @AfterEach
  void letThemEnd() {
    trouble.enough.set(true);
    await().until(() -> run.threads.abandonedBlocking() + run.threads.abandonedComputing() == 0);
    assertThat(run.act("last", "shop.join", "{'left':'still here'}").success()).isTrue();
  }

  @Test
  void whatIsThrownIsTheError() {
    ActionResult result = run.act("a", "bad.throws_it", "{}");
    assertThat(result.status()).isEqualTo(Status.FAILED);
    assertThat(result.error()).isEqualTo("the disk is full");
  }

  @Test
  void whatBlocksIsInterruptedAtItsTimeout() throws Exception {
    ActionResult result = run.act("a", "bad.blocks", "{}");
    assertThat(result.status()).isEqualTo(Status.TIMED_OUT);
    assertThat(result.error()).isEqualTo("it took longer than PT0.2S");
    assertThat(trouble.interrupted.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatIgnoresInterruptsIsAbandonedAndCountedUntilItEnds() {
    assertThat(run.act("a", "bad.ignores_interrupts", "{}").status()).isEqualTo(Status.TIMED_OUT);
    assertThat(run.threads.abandonedBlocking()).isEqualTo(1);
    ActionResult refused = run.act("b", "shop.join", "{'left':'x'}");
    assertThat(refused.status()).isEqualTo(Status.REFUSED);
    assertThat(refused.error())
        .isEqualTo(
            "this node executes no blocking actions: 1 of them do not end although their time is"
                + " over");
    trouble.enough.set(true);
    await().until(() -> run.threads.abandonedBlocking() == 0);
    assertThat(run.act("c", "shop.join", "{'left':'x'}").success()).isTrue();
  }

  @Test
  void whatLoopsHasItsThreadReplacedUntilTooManyAreLost() {
    assertThat(run.act("a", "bad.loops", "{}").status()).isEqualTo(Status.TIMED_OUT);
    assertThat(run.act("b", "bad.loops", "{}").status()).isEqualTo(Status.TIMED_OUT);
    assertThat(run.threads.abandonedComputing()).isEqualTo(2);
    assertThat(run.act("c", "bad.loops", "{}").error()).contains("no computing actions");
    assertThat(run.act("d", "shop.join", "{'left':'x'}").success()).isTrue();
  }

  @Test
  void computingActionsWaitForTheirTurnWithinTheirTime() throws Exception {
    Dispatching first = Dispatching.of(agent, 1, bounds(Duration.ofSeconds(1), 1_000, 1, 4));
    CompletableFuture<ActionResult> computing = first.start("a", "bad.computes", "{}");
    trouble.begun.await();
    AtomicReference<CompletableFuture<ActionResult>> waiting =
        new AtomicReference<>(CompletableFuture.completedFuture(null));
    await()
        .until(
            () -> {
              // It is refused where the other has come before it.
              if (waiting.get().isDone()) {
                waiting.set(new Dispatching(agent, first.threads).start("b", "bad.computes", "{}"));
              }
              return new Dispatching(agent, first.threads).act("c", "bad.loops", "{}");
            },
            result -> result.error().contains("wait on"));
    trouble.enough.set(true);
    assertThat(computing.get(10, TimeUnit.SECONDS).success()).isTrue();
    assertThat(waiting.get().get(10, TimeUnit.SECONDS).success()).isTrue();
  }

  @Test
  void whatDoesNotGetItsTurnInTimeIsNotBegun() throws Exception {
    Dispatching first = Dispatching.of(agent, 1, bounds(Duration.ofSeconds(1), 1_000, 1_000, 1));
    CompletableFuture<ActionResult> computing = first.start("a", "bad.computes", "{}");
    trouble.begun.await();
    Dispatching second = new Dispatching(agent, first.threads);
    assertThat(second.act("b", "bad.loops", "{}").status()).isEqualTo(Status.TIMED_OUT);
    assertThat(first.threads.abandonedComputing()).isZero();
    trouble.enough.set(true);
    assertThat(computing.get(10, TimeUnit.SECONDS).success()).isTrue();
  }

  @Test
  void anOverflowOfTheStackIsContained() {
    assertThat(run.act("a", "bad.recurses", "{'depth':0}").error())
        .isEqualTo("it recursed until the stack was full");
    assertThat(run.act("b", "bad.recurses_computing", "{}").error()).contains("stack");
  }

  @Test
  void aMissingClassIsContained() {
    assertThat(run.act("a", "bad.lacks_a_class", "{}").error()).isEqualTo("gone/Away");
  }

  @Test
  void anOutputThatIsTooLargeFails() {
    ActionResult result = run.act("a", "bad.returns_much", "{}");
    assertThat(result.status()).isEqualTo(Status.FAILED);
    assertThat(result.error()).isEqualTo("the output is larger than 4194304 bytes");
    assertThat(run.act("b", "bad.returns_for_ever", "{}").error()).contains("larger than");
  }

  @Test
  void aStageThatNeverCompletesIsGivenUp() {
    assertThat(run.act("a", "bad.never_completes", "{}").status()).isEqualTo(Status.TIMED_OUT);
    assertThat(run.threads.abandonedBlocking()).isZero();
  }

  @Test
  void aLargeOutputStandsOnTheBlackboardAndIsReferredToAsAWhole() throws Exception {
    ActionResult result = run.act("a", "shop.text", "{'length':100000}");
    assertThat(result.success()).isTrue();
    assertThat(result.output().textValue()).hasSize(1003).endsWith("x...");
    assertThat(result.stored()).contains("r1:a");
    assertThat(stored("r1:a").textValue()).hasSize(100_000);
    ActionResult echo = run.act("b", "shop.echo", "{'value':'$results.a'}");
    assertThat(stored(echo.stored().orElseThrow()).textValue()).hasSize(100_000);
    ActionResult variable = run.act("c", "shop.echo", "{'value':'$text'}");
    assertThat(stored(variable.stored().orElseThrow())).isEqualTo(stored("r1:a"));
    run.act("d", "shop.page", "{'length':100000}");
    assertThat(run.act("e", "shop.echo", "{'value':'$head'}").output()).isEqualTo(json("'h'"));
    assertThat(run.act("f", "shop.echo", "{'value':'$results.d.head'}").output())
        .isEqualTo(json("'h'"));
  }

  @Test
  void anOutputOfTheLargestInlineSizeStandsInTheResult() {
    assertThat(run.act("a", "shop.text", "{'length':32766}").stored()).isEmpty();
    assertThat(run.act("b", "shop.text", "{'length':32767}").stored()).isPresent();
  }

  private JsonNode stored(String key) throws Exception {
    Entry entry =
        agent
            .blackboard(agent.id().scope().namespace("results"))
            .read(key)
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS)
            .orElseThrow();
    assertThat(entry.expiresAt()).isPresent();
    return entry.value();
  }

  @Test
  void anAgentThatLeavesInterruptsItsActionAndHasNoResult() throws Exception {
    CompletableFuture<ActionResult> result = run.start("a", "bad.waits_long", "{}");
    trouble.begun.await();
    run.journal.cancel();
    assertThatThrownBy(() -> result.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(CancellationException.class);
    // The journal of the next iteration is another one.
    Dispatching next = new Dispatching(agent, run.threads);
    assertThat(next.act("b", "shop.join", "{'left':'x'}").success()).isTrue();
    run.dispatcher.enter(run.state(), new RecordedJournal());
  }

  @Test
  void anInterruptOfThePolicyStopsTheAction() throws Exception {
    CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
    Thread policy =
        Thread.startVirtualThread(() -> {
          try {
            run.dispatcher.dispatch(Action.of("a", "bad.blocks", json("{}")));
          } catch (CancellationException stopped) {
            stillInterrupted.complete(Thread.currentThread().isInterrupted());
          }
        });
    policy.interrupt();
    assertThat(stillInterrupted.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void tenThousandActionsLeaveNothingBehind() throws Exception {
    for (int i = 0; i < 10_000; i++) {
      String id = "many-" + i;
      ActionResult result =
          run.dispatcher.dispatch(Action.of(id, "shop.join", json("{'left':'x'}")));
      assertThat(result.success()).isTrue();
    }
    assertThat(run.threads.abandonedBlocking()).isZero();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("action-many-"));
    for (String namespace : List.of("results", "checkpoints")) {
      assertThat(keys(namespace)).isEmpty();
    }
    assertThat(agent.blackboard().query(Query.keys("*")).toCompletableFuture().get().entries())
        .isEmpty();
  }

  private List<Entry> keys(String namespace) throws Exception {
    return agent
        .blackboard(agent.id().scope().namespace(namespace))
        .query(Query.keys("*"))
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS)
        .entries();
  }
}
