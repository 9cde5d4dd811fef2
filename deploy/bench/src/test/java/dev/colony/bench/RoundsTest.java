package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RoundsTest {

  private static ObjectNode report(double... perSecond) {
    ObjectNode report = Report.object().put("agents", 20);
    ArrayNode rows = report.putArray("rounds");
    for (double one : perSecond) {
      rows.addObject().put("perSecond", one);
    }
    return report;
  }

  private static JsonNode row(ObjectNode report, ObjectNode earlier) {
    return Rounds.of(report).table(Optional.of(Rounds.of(earlier))).path(0);
  }

  @Test
  void aFigureIsTheMedianOfItsRoundsWithTheirRange() {
    ArrayNode rows = Rounds.of(report(30, 10, 20, 50)).table(Optional.empty());

    assertThat(rows)
        .containsExactly(
            Report.object()
                .put("figure", "per second")
                .put("median", 25.0)
                .put("least", 10.0)
                .put("most", 50.0));
  }

  @Test
  void aChangeWithinTheRangeOfEitherReportIsNoise() {
    assertThat(row(report(10, 11, 12), report(9, 11.5, 13)).path("change").asText())
        .isEqualTo("-4 % (noise)");
    assertThat(row(report(10, 15, 20), report(14, 14, 14)).path("change").asText())
        .isEqualTo("+7 % (noise)");
    assertThat(row(report(10, 11, 12), report(20, 22, 24)).path("change").asText())
        .isEqualTo("-50 %");
    assertThat(row(report(10, 11, 12), report(10, 11, 13)).path("change").asText())
        .isEqualTo("none");
  }

  @Test
  void ofOneRoundNoOneCanTell() {
    assertThat(row(report(11), report(10, 10, 10)).path("change").asText())
        .isEqualTo("+10 % (one round)");
  }

  @Test
  void whatWasFoundOnceIsShownWhereItHasChanged() {
    ObjectNode earlier = report(1, 2).put("agents", 10);
    earlier.putArray("loads").addObject().put("fsync", "no").put("written", 3);
    ObjectNode now = report(1, 2);
    now.putArray("loads").addObject().put("fsync", "no").put("written", 6);

    ArrayNode rows = Rounds.of(now).table(Optional.of(Rounds.of(earlier)));

    assertThat(rows.valueStream().map(row -> row.path("figure").asText()))
        .containsExactly("per second", "agents", "loads.no.written");
    assertThat(rows.path(1).path("change").asText()).isEqualTo("+100 % (one round)");
  }

  @Test
  void rowsWithWordsAreNoRounds() {
    ObjectNode report = Report.object();
    report.putArray("rounds").addObject().put("mode", "leases").put("warm", 0.5);

    assertThat(Rounds.given(report)).isFalse();
    assertThat(Rounds.of(report).figures()).containsOnlyKeys("rounds.leases.warm");
  }
}
