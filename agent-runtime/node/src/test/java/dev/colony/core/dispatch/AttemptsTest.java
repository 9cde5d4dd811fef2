package dev.colony.core.dispatch;

import static dev.colony.core.dispatch.Dispatching.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.fixture.TestAgent;
import java.time.Duration;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class AttemptsTest {

  private final TestAgent agent = TestAgent.named("a1");
  private final Workshop workshop = new Workshop(agent.capabilityContext("shop"));
  private final Dispatching run = retrying(agent.with(workshop), Duration.ofMillis(1));

  private static Dispatching retrying(TestAgent agent, Duration pause) {
    DispatchSettings.Bounds usual = DispatchSettings.Bounds.USUAL;
    DispatchSettings.Bounds bounds =
        new DispatchSettings.Bounds(
            usual.grace(),
            usual.abandoned(),
            usual.queue(),
            usual.abandonedComputing(),
            new Backoff(pause, pause),
            usual.controlAfter());
    return Dispatching.of(agent, 2, bounds);
  }

  @Test
  void whatMayHelpIsTriedAgainUnderOneKey() {
    workshop.failures = 2;
    assertThat(run.act("a", "shop.flaky", "{'passing':true}").success()).isTrue();
    assertThat(workshop.calls).hasSize(3);
    assertThat(new HashSet<>(workshop.calls)).containsExactly("acme/lab/a1/r1/0/a");
  }

  @Test
  void theAttemptsAreBounded() {
    workshop.failures = 10;
    ActionResult result = run.act("a", "shop.flaky", "{'passing':true}");
    assertThat(result.error()).isEqualTo("not now");
    assertThat(workshop.calls).hasSize(3);
  }

  @Test
  void whatWillNotHelpIsNotTriedAgain() {
    workshop.failures = 1;
    assertThat(run.act("a", "shop.flaky", "{'passing':false}").success()).isFalse();
    assertThat(workshop.calls).hasSize(1);
  }

  @Test
  void thereIsNoPauseBeyondTheActionsTime() {
    workshop.failures = 1;
    Dispatching slow = retrying(agent, Duration.ofHours(1));
    ActionResult result =
        slow.dispatcher.dispatch(Action.of("a", "shop.flaky", json("{'passing':true}")));
    assertThat(result.error()).isEqualTo("not now");
  }
}
