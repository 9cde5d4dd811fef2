package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.StepView;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.Workbench;
import dev.colony.client.history.AgentHistory;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.inference.Usage;
import dev.colony.journal.JournalReader.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Steps that perform several actions, on a node. */
@Timeout(60)
class PerformedStepTest extends PlayedAgentFixture {

  /** Performs actions at once, each named after its key, and waits for all. */
  private static List<ActionResult> together(ActionDispatcher dispatcher, Action... actions) {
    List<CompletableFuture<ActionResult>> started =
        List.of(actions).stream().map(action -> started(dispatcher, action)).toList();
    return started.stream().map(CompletableFuture::join).toList();
  }

  private static CompletableFuture<ActionResult> started(
      ActionDispatcher dispatcher, Action action) {
    CompletableFuture<ActionResult> result = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        result.complete(dispatcher.perform(action));
      } catch (RuntimeException failure) {
        result.completeExceptionally(failure);
      }
    });
    return result;
  }

  private static Action action(String actionId, String name) {
    return Action.of(actionId, Workbench.TYPE + "." + name, null);
  }

  @Test
  void modelCallsAreBookedToTheActionThatMakesThem() {
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          if (state.iterationNum() == 0) {
            together(
                context.dispatcher(),
                action("a", "asking"),
                action("b", "asking"),
                action("c", "internal"));
            return ActionPolicyIterationResult.skipped();
          }
          return DONE;
        });
    AgentHandle agent = spawn(PlayedPolicy.BLUEPRINT);
    AgentRun run = result(run(agent, "r1"));
    StepView step = steps().getFirst();
    assertThat(step.actions())
        .extracting(ActionView::actionId)
        .containsExactlyInAnyOrder("a", "b", "c");
    Usage two = action(step, "a").usage();
    assertThat(two.completionTokens()).isPositive();
    assertThat(action(step, "b").usage()).isEqualTo(two);
    assertThat(action(step, "c").usage()).isEqualTo(Usage.NONE);
    assertThat(step.usage()).isEqualTo(two.plus(two));
    assertThat(run.stats().usage()).isEqualTo(two.plus(two));
    assertThat(run.stats().modelCalls()).isZero();
  }

  @Test
  void aStepDispatchesOneActionOrPerformsSeveralAndNoneTwice() {
    List<String> errors = new CopyOnWriteArrayList<>();
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          ActionDispatcher dispatcher = context.dispatcher();
          switch (state.iterationNum()) {
            case 0 -> {
              dispatcher.perform(action("a", "internal"));
              errors.add(dispatcher.perform(action("a", "internal")).error());
              errors.add(dispatcher.dispatch(action("b", "internal")).error());
              return ActionPolicyIterationResult.skipped();
            }
            case 1 -> {
              Action second = action("b", "internal");
              ActionResult result = dispatcher.dispatch(second);
              errors.add(dispatcher.perform(action("c", "internal")).error());
              return ActionPolicyIterationResult.acted(second, result);
            }
            default -> {
              errors.add(dispatcher.perform(action("a", "internal")).error());
              return DONE;
            }
          }
        });
    AgentHandle agent = spawn(PlayedPolicy.BLUEPRINT);
    assertThat(result(run(agent, "r1")).error()).isEmpty();
    assertThat(errors)
        .containsExactly(
            "the run has had an action a before",
            "a step that performs several actions dispatches none",
            "a step that dispatches an action performs no others",
            "the run has had an action a before");
    assertThat(steps().stream().flatMap(step -> step.actions().stream()))
        .extracting(ActionView::actionId)
        .containsExactly("a", "b");
  }

  @Test
  void aStepIsNotOverBeforeItsActionsAre() {
    String slow = id.name();
    CountDownLatch held = types.hold(slow);
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          if (state.iterationNum() == 0) {
            started(context.dispatcher(), action(slow, "retryable"));
            await().until(() -> begun(slow));
            held.countDown();
            return ActionPolicyIterationResult.skipped();
          }
          return DONE;
        });
    AgentHandle agent = spawn(PlayedPolicy.BLUEPRINT);
    assertThat(result(run(agent, "r1")).error()).isEmpty();
    assertThat(action(steps().getFirst(), slow).success()).isTrue();
  }

  @Test
  void aCancelledRunAwaitsWhatItHasBegunOutsideAndSaysWhatBecameOfIt() {
    String once = "once-" + id.name();
    String again = "again-" + id.name();
    CountDownLatch held = types.hold(once);
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          together(
              context.dispatcher(),
              action(once, "once"),
              action(again, "retryable"),
              action("c", "internal"));
          return ActionPolicyIterationResult.skipped();
        });
    AgentHandle agent = spawn(PlayedPolicy.BLUEPRINT);
    RunHandle run = run(agent, "r1");
    await().until(() -> begun(once));
    agent
        .cancel(new RunId("r1"), RunOptions.namespace("test"), "not wanted")
        .toCompletableFuture()
        .join();
    await().until(() -> events().stream().anyMatch(AgentEvent.CancelRequested.class::isInstance));
    held.countDown();
    AgentRun ended = result(run);
    assertThat(ended.status()).isEqualTo(Status.CANCELLED);
    StepView step = steps().getFirst();
    assertThat(action(step, once).success()).isTrue();
    assertThat(action(step, again).success()).isTrue();
  }

  @Test
  void anActionThatAPersonHasToApproveIsPerformedOnce() {
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          ActionDispatcher dispatcher = context.dispatcher();
          if (state.iterationNum() == 0) {
            ActionResult asks =
                together(dispatcher, action("a", "guarded"), action("b", "internal")).getFirst();
            return ActionPolicyIterationResult.blocked("asks", asks.until().orElseThrow());
          }
          Action next = action("a", "guarded").next();
          return ActionPolicyIterationResult.completed(
              ActionPolicyOutput.of(dispatcher.perform(next).output()));
        });
    AgentHandle agent = spawn(PlayedPolicy.BLUEPRINT);
    RunHandle run = run(agent, "r1");
    await().until(() -> steps().size() == 1);
    ResumptionCondition.Approved asked =
        (ResumptionCondition.Approved) action(steps().getFirst(), "a").until().orElseThrow();
    assertThat(asked.after()).as("answers from here on count").isPresent();
    agent.approve(asked.request(), "lead", "").toCompletableFuture().join();
    assertThat(result(run).output().asText()).isEqualTo("a~2");
  }

  private static ActionView action(StepView step, String actionId) {
    return step.actions().stream()
        .filter(action -> action.actionId().equals(actionId))
        .findFirst()
        .orElseThrow();
  }

  private List<StepView> steps() {
    List<Stored> stored = new ArrayList<>();
    for (AgentEvent event : events()) {
      stored.add(new Stored(stored.size() + 1, "node", event));
    }
    return AgentHistory.entries(stored, Optional.empty()).stream()
        .filter(StepView.class::isInstance)
        .map(StepView.class::cast)
        .toList();
  }
}
