package dev.colony.replica.lexical;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComposeTest {

  private static final String SCHEMA =
      """
      {"type": "object", "required": ["answer", "citations"], "properties": {
        "answer": {"type": "string"},
        "citations": {"type": "array", "items": {"type": "object",
          "properties": {"evidence": {"type": "integer"}}, "required": ["evidence"]}}}}
      """;

  private static final String REQUEST =
      """
      Answer from the numbered evidence alone.
      Question: Which class decides when the beds are watered?
      Evidence:
      [1] src/garden/Gate.java:12:  * Opens when a visitor has a ticket.
      [2] src/garden/WateringPolicy.java:3: /** Decides when the flower beds are watered. */
      [3] src/garden/WateringPolicy.java:4: interface WateringPolicy {
      """;

  private final LexicalModel model = new LexicalModel();

  @Test
  void theAnswerQuotesWhatIsCloseAndCitesIt() {
    JsonNode reply = compose(REQUEST);
    String answer = reply.path("answer").asText();
    assertThat(answer)
        .startsWith(
            "Closest lines found: WateringPolicy (src/garden/WateringPolicy.java) at line 3")
        .contains("src/garden/WateringPolicy.java")
        .contains("Decides when the flower beds are watered.")
        .contains("WateringPolicy")
        .doesNotContain("/**", "Gate.java")
        .endsWith(".");
    assertThat(cited(reply)).contains(2).doesNotContain(1);
  }

  @Test
  void aLineThatSaysSomethingStandsForAPassageWhosePathAloneFits() {
    String request =
        """
        Question: When are the beds watered?
        Evidence:
        [1] src/beds/Beds.java:7-9:
        >  */
        >\s
        > final class Rows {
        """;
    assertThat(compose(request).path("answer").asText())
        .isEqualTo(
            "Closest lines found: Beds (src/beds/Beds.java) at line 9: \"final class Rows {\".");
  }

  @Test
  void itClaimsNoMoreThanThatTheLinesAreClose() {
    assertThat(compose(REQUEST).path("answer").asText())
        .doesNotContain("declares", "says", "answer");
  }

  @Test
  void fiveFilesAreCitedInTheOrderOfTheirStrongestLines() {
    StringBuilder request = new StringBuilder("Question: when are beds watered?\nEvidence:\n");
    for (int i = 1; i <= 8; i++) {
      request.append(
          "[%d] f%d.java:%d: when beds are watered, %d\n".formatted(i, (i - 1) % 7, i, i));
    }
    assertThat(cited(compose(request.toString()))).containsExactly(1, 8, 2, 3, 4, 5);
  }

  @Test
  void citationsNameOnlyEvidenceThatWasGiven() {
    assertThat(cited(compose(REQUEST))).isSubsetOf(1, 2, 3);
  }

  @Test
  void otherEvidenceGivesAnotherAnswer() {
    String changed = REQUEST.replace("WateringPolicy", "SprinklerPlan");
    assertThat(compose(changed).path("answer").asText())
        .contains("SprinklerPlan")
        .doesNotContain("WateringPolicy");
  }

  @Test
  void withoutEvidenceItSaysSo() {
    JsonNode reply = compose("Question: Which class decides?\nEvidence:\n");
    assertThat(reply.path("answer").asText()).isEqualTo("The evidence does not answer this.");
    assertThat(reply.path("citations")).isEmpty();
  }

  @Test
  void withoutASchemaTheBestSentencesAreTheAnswer() {
    String reply =
        model.reply(
            LexicalPrompt.of(
                List.of("Roses are red. Violets are blue.", "Question: what are violets?"),
                Optional.empty()));
    assertThat(reply).isEqualTo("Violets are blue.");
  }

  @Test
  void aRepairAfterTheQuestionDoesNotHideIt() {
    LexicalPrompt prompt =
        LexicalPrompt.of(
            List.of("page", "Question: what are violets?", "This reply does not satisfy"),
            Optional.empty());
    assertThat(prompt.request()).isEqualTo("Question: what are violets?");
    assertThat(prompt.context()).containsExactly("page");
  }

  private JsonNode compose(String request) {
    return json(model.reply(LexicalPrompt.of(List.of(request), Optional.of(json(SCHEMA)))));
  }

  private static List<Integer> cited(JsonNode reply) {
    List<Integer> cited = new ArrayList<>();
    reply.path("citations").forEach(c -> cited.add(c.path("evidence").asInt()));
    return cited;
  }
}
