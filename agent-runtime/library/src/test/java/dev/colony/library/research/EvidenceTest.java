package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.library.research.QuestionRouter.Route;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which lines an answer is composed from, and what they weigh. */
class EvidenceTest {

  private static final String PAGE = "p".repeat(26);

  private static Evidence line(String file, int line, double score) {
    return line(file, line, "line %d of %s".formatted(line, file), score);
  }

  private static Evidence line(String file, int line, String text, double score) {
    return new Evidence(file, line, line, text, score, PAGE, "acme/lab/analyst", "call-1");
  }

  @Test
  void theStrongestComeFirst() {
    Evidence weak = line("A.java", 1, 0.2);
    Evidence strong = line("B.java", 7, 0.9);

    assertThat(Evidence.strongest(List.of(weak, strong), 5)).containsExactly(strong, weak);
    assertThat(Evidence.strongest(List.of(weak, strong), 1)).containsExactly(strong);
  }

  @Test
  void ofAFileThreeLinesLeaveRoomForOthers() {
    List<Evidence> all = new ArrayList<>();
    for (int i = 1; i <= 6; i++) {
      all.add(line("A.java", i, 1 - i / 100.0));
    }
    Evidence other = line("B.java", 1, 0.1);
    all.add(other);

    assertThat(Evidence.strongest(all, 4))
        .containsExactly(all.get(0), all.get(1), all.get(2), other);
  }

  @Test
  void noTextOfAFileComesTwiceNorThatOfItsCopy() {
    Evidence said = line("src/A.java", 3, "  // opens the gate", 0.9);
    Evidence again = line("src/A.java", 30, "// opens the gate", 0.8);
    Evidence copy = line("old/A.java", 3, "  // opens the gate", 0.7);
    Evidence other = line("src/B.java", 3, "  // opens the gate", 0.6);

    assertThat(Evidence.strongest(List.of(said, again, copy, other), 9))
        .containsExactly(said, other);
  }

  @Test
  void aLineIsAsRelevantAsItsPassage() {
    Route route =
        new Route(
            "acme/lab/analyst",
            List.of(PAGE),
            List.of(
                new Route.Passage(PAGE, "A.java", 1, 60, 0.5),
                new Route.Passage(PAGE, "A.java", 61, 90, 1.0),
                new Route.Passage("q".repeat(26), "B.java", 1, 60, 0.9)));

    assertThat(route.relevance(line("A.java", 60, 1))).isEqualTo(0.5);
    assertThat(route.relevance(line("A.java", 61, 1))).isEqualTo(1.0);
  }

  @Test
  void outsideOfThePassagesALineCountsLittleButCounts() {
    Route route =
        new Route(
            "acme/lab/analyst",
            List.of(PAGE),
            List.of(new Route.Passage(PAGE, "A.java", 1, 60, 0.5)));

    assertThat(route.relevance(line("C.java", 1, 1))).isEqualTo(0.05);
    assertThat(
            new Route("acme/lab/analyst", List.of(PAGE), List.of()).relevance(line("C.java", 1, 1)))
        .as("of a page of which no passage is known")
        .isEqualTo(0.1);
  }
}
