package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class KeyedReaderTest {

  private static final KeyedQuestion KEY =
      new KeyedQuestion(
          "g-1",
          "org.garden:garden:1.0",
          "When are beds watered?",
          List.of(Pattern.compile("Bed\\.java$")),
          List.of(Pattern.compile("water")),
          List.of(),
          "when");

  private static JsonNode reply(String prompt) throws IOException {
    List<String> lines = List.of("whether the flower beds are watered in the early morning hours");
    KeyedReader reader =
        new KeyedReader(
            Map.of(KEY.question(), KEY),
            question -> Map.of("Bed.java", lines, "OtherBed.java", lines),
            KeyedReader.Manner.COMPETENT);
    String text = prompt + "Question: " + KEY.question();
    return JsonMapper.builder()
        .build()
        .readTree(reader.reply(text, Set.of("passages", "answer", "words")));
  }

  @Test
  void eachPassageIsNamedOnceHoweverManyRightLinesItHas() throws IOException {
    JsonNode reply =
        reply("[1] Bed.java, Bed\n7\twater\n8\twater\n[2] Bed.java\n70\twater\n71\twater\n");
    assertThat(reply.path("passages").findValuesAsText("n")).containsExactly("1", "2");
    assertThat(reply.path("passages").findValuesAsText("lines")).containsExactly("5-9", "68-72");
    assertThat(reply.path("words")).isEmpty();
  }

  @Test
  void anotherSearchIsAskedForInAsManyCharactersAsThePromptsAllow() throws IOException {
    JsonNode reply = reply("[1] Gate.java\n7\twater\n");
    assertThat(reply.path("answer").asText()).isEmpty();
    assertThat(reply.path("words").valueStream().map(JsonNode::asText))
        .hasSize(2)
        .allMatch(words -> words.length() <= 80);
  }
}
