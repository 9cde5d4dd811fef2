package dev.colony.examples;

import static dev.colony.examples.TestingGuideTest.DESK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.testkit.Expectation;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestColony;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The example of docs/guides/testing.md that runs a whole node. */
class ColonyTestingGuideTest {

  // guide: colony
  @Test
  void itGoesOnWhenItsNodeHasCrashed() {
    try (FakeModel model = FakeModel.start();
        TestColony colony = TestColony.inMemory().model(model).start()) {
      Expectation held = model.expect("what did Ann buy?").held().answer("never heard");
      model.expect("what did Ann buy?").act("docs.desk.orders", Map.of("customer", "Ann"));
      model.expect("a lamp for Ann").complete("Ann bought a lamp.");

      AgentHandle desk = colony.spawn("desk", DESK);
      RunHandle run = desk.run(Map.of("goals", "what did Ann buy?"), RunOptions.namespace("ask"));
      held.await();
      colony.crash();

      assertThat(run.join().output().asText()).isEqualTo("Ann bought a lamp.");
    }
  }

  // guide end
}
