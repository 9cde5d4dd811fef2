package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepsBenchTest {

  @Test
  void historiesAreMarkedUpToTheirLastStep() {
    assertThat(StepsBench.marks(10_000)).containsExactly(10, 50, 100, 500, 1_000, 5_000, 10_000);
    assertThat(StepsBench.marks(30)).containsExactly(10, 30);
    assertThat(StepsBench.marks(5)).containsExactly(5);
  }
}
