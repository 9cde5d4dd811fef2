package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ValueTypesTest {

  record Finding(String rule, int line) {}

  private final ValueTypes types =
      ValueTypes.none()
          .with("finding:*", Finding.class)
          .with("*:count", Long.class)
          .with("finding:count", Long.class);

  @Test
  void valuesOfTheTypeAndOfOtherKeysPass() {
    assertThat(types.violation(Write.value("finding:1", new Finding("owasp", 3)))).isEmpty();
    assertThat(types.violation(Write.value("pages:count", 3))).isEmpty();
    assertThat(types.violation(Write.value("note", List.of("anything", 1)))).isEmpty();
  }

  @Test
  void othersAreRefusedInOneLineThatNamesTheTypeAndWhatDoesNotFit() {
    assertThat(types.violation(Write.value("finding:1", Map.of("rule", "owasp", "lin", 3))))
        .hasValueSatisfying(
            why -> assertThat(why).contains("Finding").contains("\"lin\"").doesNotContain("\n"));
    assertThat(types.violation(Write.value("finding:1", "owasp")))
        .hasValueSatisfying(why -> assertThat(why).contains("Finding"));
    assertThat(types.violation(Write.value("pages:count", "many")))
        .hasValueSatisfying(why -> assertThat(why).contains("Long").contains("many"));
    assertThat(types.violation(Write.of("pages:count", NullNode.getInstance())))
        .contains("null is no Long");
  }

  @Test
  void everyPatternThatMatchesCounts() {
    assertThat(types.violation(Write.value("finding:count", 3))).isPresent();
  }

  @Test
  void aMessageIsCutWhereItGetsLong() {
    assertThat(types.violation(Write.value("pages:count", "many ".repeat(100))))
        .hasValueSatisfying(why -> assertThat(why).hasSizeLessThan(310).endsWith("..."));
  }
}
