package dev.colony.core.dispatch;

import static dev.colony.core.dispatch.Dispatching.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.core.dispatch.ControlWatch.ActionControlProtocol;
import dev.colony.core.dispatch.ControlWatch.ActionControlProtocol.ActionControl;
import dev.colony.core.dispatch.ControlWatch.PauseGate;
import dev.colony.node.NodePorts;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Long actions: paused, resumed, cancelled from outside; progress and checkpoints. */
abstract class ActionControlContract {

  private static final RunId RUN = new RunId("r1");

  private final TestAgent agent;
  private final Blackboard outside;
  private final Trouble trouble;
  private final Workshop workshop;
  private final Dispatching run;

  /**
   * @param outside the same blackboard as another process reaches it
   */
  ActionControlContract(Blackboards blackboards, Blackboards outside) {
    AgentId id = new AgentId("acme", "lab", "a-" + UUID.randomUUID());
    this.agent =
        new TestAgent(id, blackboards, (name, call) -> "", NodePorts.none(), HookRegistry.NONE);
    this.outside = outside.open(id.scope(), "somebody");
    this.trouble = new Trouble(agent.capabilityContext("bad"));
    this.workshop = new Workshop(agent.capabilityContext("shop"));
    DispatchSettings.Bounds usual = DispatchSettings.Bounds.USUAL;
    this.run =
        Dispatching.of(
            agent.with(trouble).with(workshop),
            2,
            new DispatchSettings.Bounds(
                usual.grace(),
                usual.abandoned(),
                usual.queue(),
                usual.abandonedComputing(),
                usual.retry(),
                Duration.ofMillis(10)));
  }

  @AfterEach
  void letThemEnd() {
    trouble.enough.set(true);
  }

  @Test
  void anActionIsPausedAndResumedFromOutside() throws Exception {
    tell("a", ActionControl.PAUSE);
    CompletableFuture<ActionResult> result = run.start("a", "bad.works_stepwise", "{}");
    await().until(this::waitsAtItsPausePoint);
    assertThat(trouble.begun.getCount()).isEqualTo(1);
    tell("a", ActionControl.RESUME);
    trouble.begun.await();
    tell("a", ActionControl.PAUSE);
    await().until(this::waitsAtItsPausePoint);
    trouble.enough.set(true);
    assertThat(result).isNotDone();
    tell("a", ActionControl.RESUME);
    assertThat(result.get(10, TimeUnit.SECONDS).output().textValue()).isEqualTo("ended");
    await().until(() -> control("a").isEmpty());
  }

  private boolean waitsAtItsPausePoint() {
    return trouble.worker != null
        && trouble.worker.getState() == Thread.State.WAITING
        && Arrays.stream(trouble.worker.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(PauseGate.class.getName()));
  }

  @Test
  void aPausedActionIsCancelled() throws Exception {
    tell("a", ActionControl.PAUSE);
    CompletableFuture<ActionResult> result = run.start("a", "bad.works_stepwise", "{}");
    await().until(this::waitsAtItsPausePoint);
    tell("a", ActionControl.CANCEL);
    ActionResult cancelled = result.get(10, TimeUnit.SECONDS);
    assertThat(cancelled.status()).isEqualTo(Status.CANCELLED);
    assertThat(cancelled.error()).isEqualTo("it was cancelled from outside");
  }

  @Test
  void anActionWithoutPausePointsIsCancelledOnceItHasRunForLong() throws Exception {
    CompletableFuture<ActionResult> result = run.start("a", "bad.waits_long", "{}");
    trouble.begun.await();
    tell("a", ActionControl.CANCEL);
    assertThat(result.get(10, TimeUnit.SECONDS).status()).isEqualTo(Status.CANCELLED);
  }

  @Test
  void theControlOfAnotherActionAndAnUnknownWordArePassedOver() throws Exception {
    CompletableFuture<ActionResult> result = run.start("a", "bad.works_stepwise", "{}");
    trouble.begun.await();
    tell("b", ActionControl.CANCEL);
    String key = new ActionControlProtocol().controlKey(RUN, "a");
    outside.write(Write.value(key, "faster")).toCompletableFuture().get();
    trouble.enough.set(true);
    assertThat(result.get(10, TimeUnit.SECONDS).success()).isTrue();
  }

  @Test
  void theTimeInWhichAnActionIsPausedIsNotCounted() throws Exception {
    AtomicLong clock = new AtomicLong();
    PauseGate gate = new PauseGate(clock::get);
    gate.close();
    CompletableFuture<Void> through = new CompletableFuture<>();
    Thread waiter =
        Thread.startVirtualThread(() -> {
          try {
            gate.pass();
            through.complete(null);
          } catch (InterruptedException unexpected) {
            through.completeExceptionally(unexpected);
          }
        });
    await().until(() -> waiter.getState() == Thread.State.WAITING);
    clock.set(1_000);
    assertThat(gate.leftNanos(0, 300)).isEqualTo(300);
    gate.open();
    through.get(10, TimeUnit.SECONDS);
    clock.set(1_100);
    assertThat(gate.leftNanos(0, 300)).isEqualTo(200);
    gate.pass();
    assertThat(gate.leftNanos(0, 300)).isEqualTo(200);
    gate.close();
    gate.openForGood();
    gate.close();
    gate.pass();
  }

  @Test
  void progressIsMadeKnown() {
    run.act("a", "shop.resumes", "{}");
    assertThat(run.journal.emitted)
        .containsExactly(
            new RecordedJournal.Emitted(
                "progress", json("{'actionId':'a','done':0.5,'message':'half way'}")));
  }

  @Test
  void aCheckpointIsFoundByTheNextExecutionAndGoesWithTheAction() throws Exception {
    run.act("a", "shop.resumes", "{}");
    await().until(() -> checkpoint("a").isEmpty());
    checkpoints()
        .write(Write.of("acme/lab/a1/r1/0/b", TextNode.valueOf("half")))
        .toCompletableFuture()
        .get();
    run.act("b", "shop.resumes", "{}");
    assertThat(workshop.calls).containsExactly("none", "half");
    await().until(() -> checkpoint("b").isEmpty());
  }

  private Blackboard checkpoints() {
    return agent.blackboard(agent.id().scope().namespace("checkpoints"));
  }

  private Optional<JsonNode> checkpoint(String actionId) {
    return checkpoints()
        .read("acme/lab/a1/r1/0/" + actionId)
        .toCompletableFuture()
        .join()
        .map(Entry::value);
  }

  private Optional<Entry> control(String actionId) {
    return agent
        .blackboard()
        .read(new ActionControlProtocol().controlKey(RUN, actionId))
        .toCompletableFuture()
        .join();
  }

  private void tell(String actionId, ActionControl control) throws Exception {
    outside
        .write(new ActionControlProtocol().give(RUN, actionId, control))
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
  }
}
