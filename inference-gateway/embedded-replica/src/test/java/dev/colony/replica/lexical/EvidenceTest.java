package dev.colony.replica.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EvidenceTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  static final String SCHEMA =
      """
      {"type": "object", "required": ["evidence"], "properties": {"evidence": {"type": "array",
        "items": {"type": "object", "properties": {
          "file": {"type": "string"}, "line": {"type": "integer"},
          "text": {"type": "string"}, "score": {"type": "number"}}}}}}
      """;

  private static final String TURNSTILE =
      """
      /*
       * Licensed to whoever keeps the gate of the garden.
       */
      package garden;

      import garden.gate.TicketBox;

      /**
       * Lets visitors through the gate one by one.
       *
       * <p>A visitor without a ticket is sent back to the ticket box.
       */
      public final class Turnstile {

        private final TicketBox tickets;

        /** Counts a visitor in. */
        void admit(Visitor visitor) {
          visitors++;
        }
      }
      """;

  private static final String SPRINKLER =
      """
      package garden;

      /** Decides when the flower beds are watered. */
      interface WateringPolicy {

        boolean isDue(Bed bed);
      }
      """;

  private static final String PAGE =
      segment("src/garden/Turnstile.java", 1, TURNSTILE)
          + segment("src/garden/WateringPolicy.java", 41, SPRINKLER);

  private final LexicalModel model = new LexicalModel();

  @Test
  void aLineIsQuotedExactlyWithItsNumberInTheFile() {
    for (JsonNode evidence : evidence("Who lets visitors through the gate?", PAGE)) {
      String file = evidence.path("file").asText();
      boolean turnstile = file.equals("src/garden/Turnstile.java");
      List<String> lines = (turnstile ? TURNSTILE : SPRINKLER).lines().toList();
      int at = evidence.path("line").asInt() - (turnstile ? 1 : 41);
      assertThat(evidence.path("text").asText()).isEqualTo(lines.get(at));
    }
  }

  @Test
  void theDeclarationOrTheCommentThatSaysSoComesFirst() {
    assertThat(top("Which class lets visitors through the gate?"))
        .isIn(" * Lets visitors through the gate one by one.", "public final class Turnstile {");
    assertThat(top("Which class decides when beds are watered?"))
        .isIn("/** Decides when the flower beds are watered. */", "interface WateringPolicy {");
  }

  @Test
  void wordsOfOneFamilyAndSynonymsAreFound() {
    assertThat(top("Where is the decision to water a bed taken?")).contains("water");
    assertThat(top("What chooses the time of watering?"))
        .isIn("/** Decides when the flower beds are watered. */", "interface WateringPolicy {");
  }

  @Test
  void identifiersAreFoundByTheirPartsAndAsAWhole() {
    assertThat(top("where is isDue?")).contains("isDue");
    assertThat(top("what does the watering policy do?")).contains("WateringPolicy");
  }

  @Test
  void aQuestionForAValuePrefersTheLineThatSetsIt() {
    String page =
        segment(
            "src/garden/Bed.java",
            1,
            """
            class Bed {
              /** How often a bed is watered in a week, at most. */
              void water(int bedWatered) {}

              private int bedWatered = 3;
            }
            """);
    assertThat(
            evidence("How many times is a bed watered at most?", page)
                .getFirst()
                .path("text")
                .asText())
        .isEqualTo("  private int bedWatered = 3;");
    assertThat(evidence("Where is a bed watered?", page).getFirst().path("text").asText())
        .isNotEqualTo("  private int bedWatered = 3;");
  }

  @Test
  void licencesAndImportsHardlyCount() {
    List<String> texts = texts(evidence("Which class is the ticket box at the gate?", PAGE));
    assertThat(texts.getFirst()).doesNotContain("Licensed", "import");
  }

  @Test
  void aQuestionAboutSomethingElseFindsNothing() {
    assertThat(evidence("How are quarterly invoices rounded?", PAGE)).isEmpty();
  }

  @Test
  void scoresFallAndComparesAcrossPages() {
    List<JsonNode> both = evidence("Which class lets visitors through the gate?", PAGE);
    assertThat(both.stream().map(e -> e.path("score").asDouble()))
        .isSortedAccordingTo((x, y) -> Double.compare(y, x));
    String elsewhere = segment("src/Other.java", 1, "/** Opens the gate. */\nclass Other {}\n");
    double here = score("Which class lets visitors through the gate?", PAGE);
    double there = score("Which class lets visitors through the gate?", elsewhere);
    assertThat(here).isGreaterThan(there);
    // The same line scores the same whatever else stands on its page.
    String alone = segment("src/garden/Turnstile.java", 1, TURNSTILE);
    assertThat(score("Which class lets visitors through the gate?", alone)).isEqualTo(here);
  }

  @Test
  void severalPagesAreRankedTogetherAndMaxItemsIsKept() {
    String schema = SCHEMA.replace("\"type\": \"array\",", "\"type\": \"array\", \"maxItems\": 2,");
    List<JsonNode> evidence =
        evidence(
            schema,
            "Which class lets visitors through the gate?",
            segment("a.java", 1, SPRINKLER),
            segment("b.java", 1, TURNSTILE));
    assertThat(evidence).hasSize(2);
    assertThat(evidence.getFirst().path("file").asText()).isEqualTo("b.java");
  }

  @Test
  void theAnswerDependsOnThePromptAlone() {
    String question = "Which class lets visitors through the gate?";
    assertThat(evidence(question, PAGE)).isEqualTo(evidence(question, PAGE));
    assertThat(new LexicalModel().reply(prompt(SCHEMA, question, PAGE)))
        .isEqualTo(model.reply(prompt(SCHEMA, question, PAGE)));
  }

  @Test
  void linesOutsideTheNumberedSegmentsBelongToNoFile() {
    String page = "the gate of visitors\n" + segment("a.txt", 7, "the gate\n") + "visitors\n";
    List<JsonNode> evidence = evidence("Where is the gate of visitors?", page);
    assertThat(texts(evidence)).containsExactly("the gate");
    assertThat(evidence.getFirst().path("line").asInt()).isEqualTo(7);
  }

  @Test
  void theNumberThatAPageShowsIsNoPartOfTheLine() {
    List<JsonNode> evidence =
        evidence("Where is the gate?", segment("a.txt", 9, "visitors\n10\t  the gate\n7\tgate\n"));
    assertThat(texts(evidence)).containsExactly("  the gate", "7\tgate");
  }

  static String segment(String path, int first, String text) {
    int count = (int) text.lines().count();
    return "=== %s (lines %d-%d)\n%s".formatted(path, first, first + count - 1, text);
  }

  private String top(String question) {
    return evidence(question, PAGE).getFirst().path("text").asText();
  }

  private double score(String question, String page) {
    return evidence(question, page).getFirst().path("score").asDouble();
  }

  private List<JsonNode> evidence(String question, String page) {
    return evidence(SCHEMA, question, page);
  }

  private List<JsonNode> evidence(String schema, String question, String... pages) {
    List<JsonNode> evidence = new ArrayList<>();
    read(model.reply(prompt(schema, question, pages))).path("evidence").forEach(evidence::add);
    return evidence;
  }

  private static LexicalPrompt prompt(String schema, String question, String... pages) {
    List<String> messages = new ArrayList<>(List.of(pages));
    messages.add("Quote the lines that answer the question.\nQuestion: " + question);
    return LexicalPrompt.of(messages, Optional.of(read(schema)));
  }

  private static List<String> texts(List<JsonNode> evidence) {
    return evidence.stream().map(e -> e.path("text").asText()).toList();
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
