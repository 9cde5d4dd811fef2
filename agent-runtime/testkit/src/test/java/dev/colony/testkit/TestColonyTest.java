package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.view.HistoryEntry;
import dev.colony.library.policy.MinimalActionPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Agents that run by themselves within a test's JVM. */
class TestColonyTest {

  private static final AgentBlueprint ASKER = AgentBlueprint.of(MinimalActionPolicy.class);
  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(1));

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void close() {
    model.close();
  }

  private static RunHandle ask(TestColony colony) {
    return colony.spawn("asker", ASKER).run(Map.of("goals", "answer"), OPTIONS);
  }

  @Test
  void whatANodeHadUnderWayGoesOnWhenItHasCrashed() {
    Expectation held = model.expect().held().answer("never read");
    model.expect().complete("done");
    try (TestColony colony = TestColony.inMemory().model(model).start()) {
      RunHandle run = ask(colony);
      held.await();
      colony.crash();
      assertThat(run.join().output().asText()).isEqualTo("done");
    }
  }

  @Test
  void aNodeDiesWhereTheTestSaysAndTheNextGoesOn() {
    model.expect().anyTimes().complete("done");
    KillPoint point = KillPoint.at(3, KillPoint.Side.AFTER);
    try (TestColony colony = TestColony.inMemory().model(model).killed(point).start()) {
      assertThat(ask(colony).join().output().asText()).isEqualTo("done");
      assertThat(point.struck()).isTrue();
    }
    assertThatThrownBy(() -> TestColony.onRedis("redis://127.0.0.1:1").killed(point))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void onARedisServerOfItsOwnHistoryIsThere() {
    model.expect().complete("done");
    try (TestColony colony = TestColony.onRedis().model(model).start()) {
      AgentRun run = ask(colony).join();
      assertThat(run.output().asText()).isEqualTo("done");
      AgentHandle asker = colony.spawn("asker", ASKER);
      assertThat(asker.history(Optional.empty(), 100).join().entries())
          .extracting(HistoryEntry::run)
          .contains(Optional.of(run.runId()));
    }
  }

  @Test
  void withoutAModelCallsFailInALineThatSaysWhatToDo() {
    try (TestColony colony = TestColony.inMemory().start()) {
      assertThat(ask(colony).join().error().orElseThrow())
          .contains("give the test one by Builder.model");
    }
  }
}
