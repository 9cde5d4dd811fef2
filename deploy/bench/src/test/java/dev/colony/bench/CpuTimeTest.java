package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CpuTimeTest {

  private final CpuTime.Quiet quiet = new CpuTime.Quiet();

  private boolean after(double work, double compiler) {
    return quiet.after(new CpuTime(work, compiler, 0));
  }

  @Test
  void threeRoundsThatDifferByLittleAreQuiet() {
    assertThat(after(400, 300)).isFalse();
    assertThat(after(150, 60)).isFalse();
    assertThat(after(105, 5)).isFalse();
    assertThat(after(100, 5)).isFalse();
    assertThat(after(104, 5)).isTrue();
  }

  @Test
  void aCompilerThatIsAtWorkIsNot() {
    after(100, 5);
    after(100, 5);
    assertThat(after(100, 11)).isFalse();
    assertThat(after(100, 1)).isFalse();
  }
}
