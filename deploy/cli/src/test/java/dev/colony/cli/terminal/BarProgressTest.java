package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.terminal.Progress.BarProgress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BarProgressTest {

  @Test
  void aStageThatGoesOnWithLargerPartsBeginsAgain() {
    PrintStream before = System.err;
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    System.setErr(new PrintStream(shown, true, StandardCharsets.UTF_8));
    try (BarProgress progress = new BarProgress(false)) {
      progress.at("mapping", 10, 10);
      progress.at("mapping", 1, 2);
    } finally {
      System.setErr(before);
    }
    assertThat(shown.toString(StandardCharsets.UTF_8)).contains(" 50% ").doesNotContain("500%");
  }
}
