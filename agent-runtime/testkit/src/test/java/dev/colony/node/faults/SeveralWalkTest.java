package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.node.faults.Outside.Deed;
import dev.colony.testkit.KillPoint;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The process dies at each write of a run whose step performs three actions at once: one with a
 * model call, an external one that may be repeated, and one that must not; and a fourth behind
 * them. The next process ends the run.
 */
class SeveralWalkTest {

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverItDiesNoActionIsExecutedAgainOrCountedTwice(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (Trial trial = new Trial(WalkTypes.JUGGLER)) {
                trial.live(point);
                List<AgentEvent> journaled = trial.store.events();
                trial.live(KillPoint.never());
                check(trial, point + ", after " + trial.store.names(), journaled);
              }
            });
    // The claim, the request, two beginnings, four ends, the step, the last step, the result.
    assertThat(writes).as("writes of the run").isGreaterThanOrEqualTo(10);
  }

  private static void check(Trial trial, String when, List<AgentEvent> journaled) {
    AgentRun run = trial.result();
    assertThat(run.error()).as(when).isEmpty();
    assertThat(trial.publications()).as(when).hasSize(1);
    assertThat(trial.outside.offences()).as(when).isEmpty();
    List<ActionCall> ended =
        trial.store.events(AgentEvent.ActionEnded.class).stream()
            .map(AgentEvent.ActionEnded::call)
            .toList();
    assertThat(ended)
        .as(when)
        .extracting(call -> call.action().actionId())
        .containsExactlyInAnyOrder("think", "send", "pay", "last");
    for (ActionCall call : ended) {
      String id = call.action().actionId();
      assertThat(run.output().path(id).path("output")).as(when).isEqualTo(call.result().output());
    }
    assertThat(trial.outside.deeds("pay")).as(when).hasSizeLessThanOrEqualTo(1);
    assertThat(run.output().path("pay").path("status").asText())
        .as(when)
        .isEqualTo(cutOff(journaled, "pay") ? "INTERRUPTED" : "SUCCEEDED");
    assertThat(trial.outside.deeds("send"))
        .as(when)
        .isNotEmpty()
        .extracting(Deed::key)
        .containsOnly(trial.agent.persistenceId() + "/r1/0/send");
    assertThat(run.stats().usage()).as(when).isEqualTo(Outside.OF_ACTIONS);
    assertThat(run.stats().steps()).as(when).isEqualTo(2);
  }

  /** Whether an action had begun when the process died, and was not known to have ended. */
  private static boolean cutOff(List<AgentEvent> journaled, String actionId) {
    boolean begun =
        journaled.stream()
            .anyMatch(event ->
                event instanceof AgentEvent.ActionBegun one
                    && one.action().actionId().equals(actionId));
    boolean ended =
        journaled.stream()
            .anyMatch(event ->
                event instanceof AgentEvent.ActionEnded one
                    && one.call().action().actionId().equals(actionId));
    return begun && !ended;
  }
}
