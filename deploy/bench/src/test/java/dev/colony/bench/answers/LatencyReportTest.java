package dev.colony.bench.answers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** When what a command has written was there. */
class LatencyReportTest {

  @Test
  void aTextIsThereWithItsLastCharacter() {
    LatencyBenchmark.Heard heard = new LatencyBenchmark.Heard();
    assertThat(heard.first()).isEqualTo(-1);
    assertThat(heard.last()).isEqualTo(-1);
    heard.take(" \n", 5);
    heard.take("  mapping   12 fi", 10);
    heard.take("les, 3 pages\n", 20);
    heard.take("asking", 30);
    heard.take(" 1/3", 40);
    assertThat(heard.first()).isEqualTo(10);
    assertThat(heard.last()).isEqualTo(40);
    assertThat(heard.millisOf(Pattern.compile("12 files"))).isEqualTo(20);
    assertThat(heard.millisOf(Pattern.compile("asking\\D"))).isEqualTo(40);
    assertThat(heard.millisOf(Pattern.compile("nothing"))).isEqualTo(-1);
  }

  @Test
  void whatDidNotHappenIsADashAndAFailureIsCounted() {
    LatencyReport report =
        new LatencyReport(
            3,
            List.of(
                new LatencyReport.Asked("Where?", 1, 2, "7 files", 3, 4, 5, 1_006, 0),
                new LatencyReport.Asked("How?", 1, -1, "none", -1, -1, 5, 6, 1)));
    assertThat(report.failed()).isEqualTo(1);
    assertThat(report.toText())
        .contains("3 nodes up")
        .containsPattern("1 +2 +3 +4 +5 +1,006 +Where\\?")
        .containsPattern("1 +- +- +- +5 +6 +How\\? \\(status 1\\)");
    assertThat(report.toJson())
        .contains("\"firstTokenMillis\":4", "\"mapping\":\"7 files\"", "\"status\":1");
  }
}
