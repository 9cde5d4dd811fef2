package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.AgentEvent;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Runs that wait with their agents out of memory: whatever reaches one that waits in memory reaches
 * these too.
 */
class SuspendedRunTest extends BlockedRunTest {

  @Override
  protected String settings() {
    return "colony.agent { passivate-after = 50ms, suspension.after-waiting = 0s }";
  }

  @Override
  protected void awaitBlocked() {
    super.awaitBlocked();
    awaitMoved(AgentState.SUSPENDED);
    await().until(() -> !node.holds(id));
  }

  private Suspension suspension() {
    return journaled(AgentEvent.Transitioned.class).stream()
        .flatMap(moved -> moved.suspension().stream())
        .toList()
        .getLast();
  }

  private void waitFor(ResumptionCondition until) {
    spawn(PlayedPolicy.BLUEPRINT);
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            state.iterationNum() == 0
                ? ActionPolicyIterationResult.blocked("waits", until)
                : ActionPolicyIterationResult.completed(
                    ActionPolicyOutput.of(JsonNodeFactory.instance.textNode("gone on"))));
  }

  private void goesOn(RunHandle run) {
    assertThat(result(run).output().asText()).isEqualTo("gone on");
    assertThat(journaled(AgentEvent.StepCompleted.class)).hasSize(2);
  }

  @Test
  void aSignalThatTheApplicationNamesEndsTheWait() {
    waitFor(new ResumptionCondition.Custom("go"));
    RunHandle run = run("r1", input("any", "thing"));
    awaitBlocked();
    now(agent.signal("stay", "another one"));
    now(agent.signal("go", "now"));
    goesOn(run);
  }

  /** What told of its first wait may be there still. */
  @Test
  void aSignalThatComesWhileItWorksCountsForTheNextWait() {
    CountDownLatch works = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    spawn(PlayedPolicy.BLUEPRINT);
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          if (state.iterationNum() == 1) {
            works.countDown();
            told.await();
            return ActionPolicyIterationResult.skipped();
          }
          return state.iterationNum() < 3
              ? ActionPolicyIterationResult.blocked("waits", new ResumptionCondition.Custom("go"))
              : ActionPolicyIterationResult.completed(
                  ActionPolicyOutput.of(JsonNodeFactory.instance.textNode("gone on")));
        });
    RunHandle run = run("r1", input("any", "thing"));
    awaitBlocked();
    now(agent.signal("go", "now"));
    await().until(() -> works.getCount() == 0);
    now(agent.signal("go", "and then"));
    await().until(() -> now(boards.inbox().statistics()).messages() == 0);
    told.countDown();
    assertThat(result(run).output().asText()).isEqualTo("gone on");
    assertThat(journaled(AgentEvent.StepCompleted.class)).hasSize(4);
  }

  @Test
  void aWriteThatIsAwaitedEndsTheWait() {
    waitFor(new ResumptionCondition.Event(Scope.colony("acme", "lives"), new KeyGlob("word:*")));
    RunHandle run = run("r1", input("any", "thing"));
    awaitBlocked();
    now(
        boards
            .open(Scope.colony("acme", "lives"), "someone")
            .write(Write.value("word:" + id.name(), 1)));
    goesOn(run);
  }

  @Test
  void whatHasComeAlreadyEndsTheWaitAtOnce() {
    waitFor(new ResumptionCondition.Immediate());
    goesOn(run("r1", input("any", "thing")));
    assertThat(suspension().cause()).isEqualTo(SuspensionCause.BLOCKED);
  }

  @Test
  void theDirectoryTellsThatItIsSuspendedAndThatItHasGoneOn() {
    waitFor(new ResumptionCondition.Custom("go"));
    RunHandle run = run("r1", input("any", "thing"));
    awaitBlocked();
    await().untilAsserted(() -> assertThat(known().state()).isEqualTo(AgentState.SUSPENDED));
    assertThat(known().reason()).contains("waits");
    now(agent.signal("go", "now"));
    goesOn(run);
    await().untilAsserted(() -> assertThat(known().state()).isNotEqualTo(AgentState.SUSPENDED));
  }

  private AgentStatus known() {
    return now(agent.state()).orElseThrow();
  }

  @Test
  void aRunThatIsCancelledMeanwhileEndsWithoutAnotherStep() {
    waitFor(new ResumptionCondition.Custom("go"));
    RunHandle run = run("r1", input("any", "thing"));
    awaitBlocked();
    now(agent.cancel(new RunId("r1"), options("r1"), "not needed"));
    assertThat(result(run).status()).isEqualTo(Status.CANCELLED);
    assertThat(journaled(AgentEvent.StepCompleted.class)).hasSize(1);
  }

  @Test
  void aPersonApprovesAnActionBeforeItBegins() throws Exception {
    spawn(TestTypes.reactive(scope));
    RunHandle run = run("r1", input("act", "test.work.guarded"));
    awaitBlocked();
    assertThat(suspension().cause()).isEqualTo(SuspensionCause.APPROVAL);
    assertThat(types.begun).isEmpty();
    now(agent.approve(request(), "lead", "go ahead"));
    assertThat(begun()).endsWith("/a0~2");
    alarm("done");
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    assertThat(types.begun).isEmpty();
  }

  @Test
  void aPersonDeniesAnAction() {
    spawn(TestTypes.reactive(scope));
    RunHandle run = run("r1", input("act", "test.work.guarded"));
    awaitBlocked();
    now(agent.deny(request(), "lead", "too dear"));
    await().until(() -> journaled(AgentEvent.StepCompleted.class).size() > 1);
    ActionResult denied =
        journaled(AgentEvent.StepCompleted.class).get(1).call().orElseThrow().result();
    assertThat(denied.status()).isEqualTo(ActionResult.Status.REFUSED);
    assertThat(denied.error()).isEqualTo("denied by lead: too dear");
    assertThat(types.begun).isEmpty();
    alarm("done");
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
  }

  /** A caller that only follows the run hears what it waits for, and who has answered. */
  @Test
  void whoFollowsTheRunHearsWhatItWaitsFor() {
    spawn(TestTypes.reactive(scope));
    RunHandle run = run("r1", input("act", "test.work.guarded"));
    List<RunProgress> heard = new CopyOnWriteArrayList<>();
    run.forEach(heard::add);
    awaitBlocked();
    String request = request();
    await().until(() -> heard.size() == 2);
    assertThat(heard).extracting(RunProgress::name).containsExactly("approval-asked", "waiting");
    assertThat(heard.getFirst().data().path("request").asText()).isEqualTo(request);
    assertThat(heard.getFirst().data().path("reason").asText()).contains("test.work.guarded");
    assertThat(heard.getFirst().data().path("agentId").asText()).isEqualTo(id.persistenceId());
    assertThat(heard.get(1).data().path("cause").asText()).isEqualTo("APPROVAL");
    assertThat(heard.get(1).data().at("/until/type").asText()).isEqualTo("ANY");
    now(agent.approve(request, "lead", "go ahead"));
    await().until(() -> heard.size() >= 4);
    assertThat(heard.get(2).name()).isEqualTo("approval-answered");
    assertThat(heard.get(2).data().path("request").asText()).isEqualTo(request);
    assertThat(heard.get(2).data().path("by").asText()).isEqualTo("lead");
    assertThat(heard.get(2).data().path("granted").asBoolean()).isTrue();
    assertThat(heard.get(2).data().path("note").asText()).isEqualTo("go ahead");
    assertThat(heard.get(3).name()).as("what the next step makes known").isEqualTo("worked");
    alarm("done");
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
    await().until(() -> heard.getLast().end().isPresent());
    List<String> again = new CopyOnWriteArrayList<>();
    agent.attach(run.runId(), options("r1")).forEach(event -> again.add(event.token()));
    await().until(() -> again.size() == heard.size());
    assertThat(again).isEqualTo(heard.stream().map(RunProgress::token).toList());
  }

  @Test
  void whoFollowsTheRunHearsWhyAlsoWhereItHasNothingToDo() {
    spawn(TestTypes.reactive(scope));
    RunHandle run = run("r1", input("any", "thing"));
    List<RunProgress> heard = new CopyOnWriteArrayList<>();
    run.forEach(heard::add);
    await().until(() -> heard.size() == 2);
    assertThat(heard)
        .extracting(event -> event.data().path("cause").asText())
        .containsExactly("IDLE", "BLOCKED");
    assertThat(heard)
        .extracting(event -> event.data().path("reason").asText())
        .containsOnly("it has nothing to do");
    alarm("done");
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
  }

  @Test
  void whoFollowsTheRunHearsOfASpentBudgetAndWhoHasRaisedIt() {
    spawn(
        TestTypes.BLUEPRINT.budget(
            RunBudget.OF_NODE.iterations(2).whenSpent(RunBudget.WhenSpent.SUSPEND)));
    RunHandle run = agent.run(TestTypes.input(3, "internal"), options("r1"));
    List<RunProgress> heard = new CopyOnWriteArrayList<>();
    run.forEach(heard::add);
    awaitMoved(AgentState.SUSPENDED);
    await().until(() -> !node.holds(id));
    now(agent.approve("budget", "lead", ""));
    result(run);
    await().until(() -> !heard.isEmpty() && heard.getLast().end().isPresent());
    assertThat(heard)
        .extracting(event -> event.name() + " " + event.data().path("request").asText())
        .contains("limit-near ", "approval-asked budget", "approval-answered budget");
  }

  private String request() {
    return suspension()
        .until()
        .orElseThrow()
        .leaves()
        .filter(ResumptionCondition.Approved.class::isInstance)
        .map(asked -> ((ResumptionCondition.Approved) asked).request())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRunThatHasSpentItsBudgetAsksForMore() {
    spawn(
        TestTypes.BLUEPRINT.budget(
            RunBudget.OF_NODE.iterations(2).whenSpent(RunBudget.WhenSpent.SUSPEND)));
    RunHandle run = agent.run(TestTypes.input(3, "internal"), options("r1"));
    awaitMoved(AgentState.SUSPENDED);
    await().until(() -> !node.holds(id));
    assertThat(suspension().cause()).isEqualTo(SuspensionCause.BUDGET);
    now(agent.approve("budget", "lead", ""));
    assertThat(result(run).output().asText()).isEqualTo("a0=SUCCEEDED a1=SUCCEEDED a2=SUCCEEDED");
  }

  /** The first of its calls spends what is left. */
  @Test
  void anActionThatHasBegunIsNotSpoiltByASpentBudget() {
    RunBudget budget = RunBudget.OF_NODE.tokens(7);
    spawn(TestTypes.BLUEPRINT.budget(budget.whenSpent(RunBudget.WhenSpent.SUSPEND)));
    RunHandle run = agent.run(TestTypes.input(1, "asking"), options("r1"));
    awaitMoved(AgentState.SUSPENDED);
    await().until(() -> !node.holds(id));
    assertThat(suspension().cause()).isEqualTo(SuspensionCause.BUDGET);
    assertThat(suspension().reason()).isEqualTo("the run took 12 tokens; it may take 7");
    now(agent.approve("budget", "lead", ""));
    assertThat(result(run).output().asText()).isEqualTo("a0=SUCCEEDED");
  }

  @Test
  void anActionOfARunThatAsksForNoMoreEndsWhereItsBudgetDoes() {
    spawn(TestTypes.BLUEPRINT.budget(RunBudget.OF_NODE.tokens(7)));
    assertThat(result(agent.run(TestTypes.input(1, "asking"), options("r1"))).error())
        .contains("the run took 8 tokens; it may take 7");
    assertThat(journaled(AgentEvent.StepCompleted.class).getFirst().call().orElseThrow().result())
        .returns(ActionResult.Status.FAILED, ActionResult::status);
  }

  @Test
  void aServiceThatIsSuspendedLeavesMemoryAndStaysAway() {
    spawn(TestTypes.BLUEPRINT.kind(AgentKind.SERVICE));
    await().until(() -> node.holds(id));
    now(agent.suspend("for the night"));
    await().until(() -> !node.holds(id));
    now(agent.resume("in the morning"));
    AgentRun run = result(agent.run(TestTypes.input(1, "internal"), options("r1")));
    assertThat(run.status()).isEqualTo(Status.COMPLETED);
    assertThat(node.holds(id)).isTrue();
  }

  @Test
  void aRunThatWaitsForSeveralAgentsGoesOnWhenAllHaveEnded() {
    spawn(PlayedPolicy.BLUEPRINT);
    List<AgentId> others =
        List.of(
            new AgentId("acme", "lives", id.name() + "-one"),
            new AgentId("acme", "lives", id.name() + "-two"));
    others.forEach(other -> now(node.colony().spawn(other, TestTypes.BLUEPRINT)));
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            state.iterationNum() == 0
                ? ActionPolicyIterationResult.blocked("waits", others)
                : ActionPolicyIterationResult.completed(
                    ActionPolicyOutput.of(JsonNodeFactory.instance.textNode("gone on"))));
    RunHandle run = run("r1", input("any", "thing"));
    awaitBlocked();
    now(node.colony().agent(others.get(0)).stop("done"));
    await().until(() -> ended(others.get(0)));
    assertThat(journaled(AgentEvent.StepCompleted.class)).hasSize(1);
    now(node.colony().agent(others.get(1)).stop("done"));
    goesOn(run);
  }

  private boolean ended(AgentId other) {
    Optional<AgentStatus> status = now(node.colony().agent(other).state());
    return status.filter(known -> known.state().terminal()).isPresent();
  }
}
