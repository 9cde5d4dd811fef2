package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Questions about one map are coordinated on one node, which keeps its index in memory. */
class CoordinatorPlaceTest {

  private static final int QUESTIONS = 4;

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  @Tag("faults")
  void allCoordinatorsOfAMapAreOnOneNode() {
    Finished up =
        rig.run(
            "up",
            "--nodes",
            "3",
            "--model-url",
            rig.model().uri().toString(),
            "--config",
            rig.config().toString());
    assertThat(up.status()).as(up.err()).isZero();
    for (int i = 0; i < QUESTIONS; i++) {
      Finished asked = rig.run(rig.configured());
      assertThat(asked.status()).as(asked.err()).isZero();
    }
    assertThat(rig.model().calls().stream().filter(Call::coordinators)).hasSize(QUESTIONS);
    assertThat(
            rig.model().calls().stream()
                .filter(Call::coordinators)
                .map(Call::node)
                .collect(Collectors.toSet()))
        .hasSize(1);
  }
}
