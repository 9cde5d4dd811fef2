package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunBudget;
import dev.colony.agent.Struggle;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the runtime finds of a run's difficulties in its state. */
class RunStrugglesTest {

  private final Life life = life(Life.BLUEPRINT);
  private int actions;

  private static Life life(AgentBlueprint blueprint) {
    Life life = new Life(new Life.Nature(blueprint, Script.of(), Map.of(), false), new LifeBoard());
    life.recover();
    life.accept("r1");
    return life;
  }

  private List<Struggle> after(Life of, ActionResult.Status status, int output, String key) {
    String id = "a" + actions++;
    of.tell(
        LifeIn.step(
            ActionPolicyIterationResult.acted(
                Action.of(id, key),
                status == ActionResult.Status.SUCCEEDED
                    ? ActionResult.succeeded(id, IntNode.valueOf(output))
                    : ActionResult.failed(id, "no disk"))));
    return struggles(of);
  }

  private static List<Struggle> struggles(Life of) {
    return RunStruggles.of(of.state, Life.LIMITS, of.now);
  }

  private List<Struggle> failed(String key) {
    return after(life, ActionResult.Status.FAILED, 0, key);
  }

  @Test
  void anActionThatFailsAgainAndAgainIsToldAtEachThirdTime() {
    assertThat(failed("fetch")).isEmpty();
    assertThat(failed("fetch")).isEmpty();
    Struggle third = new Struggle.RepeatedFailure("fetch", 3, "no disk");
    assertThat(failed("fetch")).containsExactly(third);
    assertThat(failed("fetch")).containsExactly(third);
    assertThat(third.reason()).isEqualTo("fetch failed 3 times in a row: no disk");
    assertThat(failed("store")).isEmpty();
  }

  @Test
  void eightActionsThatComeToNothingNewAreNoProgress() {
    for (int i = 0; i < 7; i++) {
      assertThat(after(life, ActionResult.Status.SUCCEEDED, 1, "look")).isEmpty();
    }
    assertThat(after(life, ActionResult.Status.SUCCEEDED, 1, "look"))
        .containsExactly(new Struggle.NoProgress(8));
    assertThat(after(life, ActionResult.Status.SUCCEEDED, 2, "look")).isEmpty();
    for (int i = 0; i < 8; i++) {
      failed(i % 2 == 0 ? "fetch" : "store");
    }
    assertThat(struggles(life)).containsExactly(new Struggle.NoProgress(8));
  }

  @Test
  void itLooksNoFurtherBackThanItTells() {
    for (int i = 0; i < 40; i++) {
      failed("fetch");
    }
    assertThat(struggles(life))
        .containsExactly(
            new Struggle.RepeatedFailure("fetch", RunStruggles.LOOKS, "no disk"),
            new Struggle.NoProgress(RunStruggles.LOOKS));
  }

  @Test
  void aRunThatComesNearToABoundIsToldOfItsBudgetAndItsTime() {
    Life brief = life(Life.BLUEPRINT.budget(RunBudget.OF_NODE.iterations(3)));
    assertThat(after(brief, ActionResult.Status.SUCCEEDED, 1, "look")).isEmpty();
    assertThat(after(brief, ActionResult.Status.SUCCEEDED, 2, "look"))
        .containsExactly(new Struggle.LimitNear("3 iterations"));
    after(life, ActionResult.Status.SUCCEEDED, 1, "look");
    life.now = Life.AT.plus(Duration.ofMinutes(53));
    assertThat(struggles(life)).isEmpty();
    life.now = Life.AT.plus(Duration.ofMinutes(54));
    assertThat(struggles(life)).containsExactly(new Struggle.LimitNear("a time of PT1H"));
  }

  @Test
  void aRunThatHasWaitedForAgentsUntilItLeftMemoryIsStuck() {
    AgentId worker = new AgentId("acme", "billing", "worker");
    life.tell(LifeIn.step(ActionPolicyIterationResult.blocked("waits", List.of(worker))));
    assertThat(struggles(life)).isEmpty();
    life.pass(Life.LIMITS.suspension().afterWaiting());
    life.live();
    assertThat(struggles(life)).containsExactly(new Struggle.DependencyStuck(List.of(worker)));
    assertThat(struggles(life).getFirst().toJson().path("agents").path(0).asText())
        .isEqualTo(worker.persistenceId());
  }

  @Test
  void whatWasToldIsNotToldAgainUntilItIsAnother() {
    for (int i = 0; i < 3; i++) {
      failed("fetch");
    }
    RunNotice third = notice();
    assertThat(third.name()).isEqualTo("repeated-failure");
    assertThat(third.struggle()).contains(Struggle.Kind.REPEATED_FAILURE);
    life.pass(Duration.ofMinutes(1));
    assertThat(notice().after(third.data())).isFalse();
    for (int i = 0; i < 3; i++) {
      failed("fetch");
    }
    assertThat(notice().after(third.data())).isTrue();
  }

  private RunNotice notice() {
    return RunNotice.struggles(life.state, Life.LIMITS, life.now).getFirst();
  }
}
