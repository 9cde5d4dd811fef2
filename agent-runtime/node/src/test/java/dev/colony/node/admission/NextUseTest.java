package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.StepDelta;
import dev.colony.client.history.WrittenAgent;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a state says of when its agent calls a model next. */
class NextUseTest {

  private static final Instant NOW = WrittenAgent.START.plusSeconds(60);
  private static final AgentId AGENT = new AgentId("t", "c", "a");

  private static AgentSnapshot after(AgentEvent... events) {
    AgentSnapshot state = AgentSnapshot.UNBORN;
    for (AgentEvent event : events) {
      state = WrittenAgent.LIFECYCLE.apply(state, event);
    }
    return state;
  }

  private static final AgentEvent SPAWNED =
      new AgentEvent.Spawned(AgentBlueprint.of(Blueprint.of("test.policy")), WrittenAgent.START);
  private static final AgentEvent CLAIMED = new AgentEvent.Claimed(1, "node-1", WrittenAgent.START);
  private static final AgentEvent ACCEPTED =
      new AgentEvent.RunAccepted(
          new RunRequest(
              ExecutionContext.of(AGENT, new RunId("r")),
              "work",
              JsonNodeFactory.instance.nullNode(),
              "tester",
              WrittenAgent.START),
          1,
          WrittenAgent.START);

  private static AgentSnapshot waiting(ResumptionCondition until) {
    return after(
        SPAWNED,
        CLAIMED,
        ACCEPTED,
        new AgentEvent.StepCompleted(
            0,
            Optional.empty(),
            StepDelta.NONE,
            Optional.empty(),
            Optional.of(
                new Blocked(false, "waits", List.of(), Optional.of(until), WrittenAgent.START)),
            Optional.empty(),
            WrittenAgent.START));
  }

  @Test
  void anAgentWithoutARunHasNoNextUse() {
    assertThat(NextUse.of(after(SPAWNED, CLAIMED), NOW)).isEqualTo(new NextUse.Never());
  }

  @Test
  void oneThatWaitsUntilATimeSaysIt() {
    Instant at = NOW.plusSeconds(90);
    assertThat(NextUse.of(waiting(new ResumptionCondition.At(at)), NOW))
        .isEqualTo(new NextUse.In(Duration.ofSeconds(90)));
    assertThat(NextUse.of(waiting(new ResumptionCondition.At(NOW.minusSeconds(1))), NOW))
        .isEqualTo(new NextUse.In(Duration.ZERO));
  }

  @Test
  void ofSeveralTimesTheOneThatCountsIsSaid() {
    ResumptionCondition soon = new ResumptionCondition.At(NOW.plusSeconds(10));
    ResumptionCondition late = new ResumptionCondition.At(NOW.plusSeconds(20));
    assertThat(NextUse.of(waiting(new ResumptionCondition.AnyOf(List.of(late, soon))), NOW))
        .isEqualTo(new NextUse.In(Duration.ofSeconds(10)));
    assertThat(NextUse.of(waiting(new ResumptionCondition.All(List.of(late, soon))), NOW))
        .isEqualTo(new NextUse.In(Duration.ofSeconds(20)));
  }

  @Test
  void oneThatWaitsForOthersSaysNothing() {
    assertThat(NextUse.of(waiting(new ResumptionCondition.Custom("go")), NOW))
        .isEqualTo(new NextUse.Unknown());
    assertThat(NextUse.of(after(SPAWNED, CLAIMED, ACCEPTED), NOW)).isEqualTo(new NextUse.Unknown());
  }
}
