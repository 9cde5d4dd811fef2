package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** What a person reads of a report. */
class ReportTest {

  @Test
  void figuresAreLinesPartsAreIndentedAndObjectsInARowAreATable() {
    ObjectNode report = Report.object().put("agents", 1_200).put("fsync", "always");
    report.putObject("full").put("writesPerSecond", 21_651.4).put("p99Millis", 2.7134);
    report.putArray("models").add("a").add("b");
    report.putArray("rounds").addObject().put("mode", "leases").put("warm", 0.87);
    report.withArray("/rounds").addObject().put("mode", "in_turn").put("cached", 12);

    assertThat(Report.text(report).lines())
        .containsExactly(
            "agents                             1,200",
            "fsync                              always",
            "full",
            "  writes per second                21,651",
            "  p99 millis                       2.71",
            "models                             a, b",
            "rounds",
            "  mode     warm  cached",
            "  leases   0.87",
            "  in_turn            12");
  }
}
