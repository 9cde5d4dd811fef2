package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.cli.terminal.Progress.BarProgress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void whatIsDoneWhileTheBarIsDrawnIsShownWithoutAnotherStep() {
    PrintStream before = System.err;
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    System.setErr(new PrintStream(shown, true, StandardCharsets.UTF_8));
    List<BarProgress> bars = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        BarProgress bar = new BarProgress(false);
        bars.add(bar);
        bar.at("stage" + i + " ", 1, 3);
        bar.at("stage" + i + " ", 2, 3);
      }
      await()
          .untilAsserted(() -> {
            String lines = shown.toString(StandardCharsets.UTF_8);
            for (int i = 0; i < bars.size(); i++) {
              assertThat(lines).containsPattern("stage" + i + " [^/]* 2/3");
            }
          });
    } finally {
      bars.forEach(BarProgress::close);
      System.setErr(before);
    }
  }
}
