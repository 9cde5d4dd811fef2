package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.bench.KeyedQuestion.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyedQuestionTest {

  private static final String LINE =
      """
      {"id": "g-1", "corpus": "org.garden:garden:1.0", "question": "When are beds watered?", \
      "files": ["(^|/)Bed\\\\.java$"], "lines": ["water\\\\w*"], "kind": "when"}
      """;

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("questions.jsonl"), text);
  }

  private KeyedQuestion question() throws IOException {
    return KeyedQuestion.read(file(LINE + "\n")).getFirst();
  }

  @Test
  void theFirstThreeAndFiveFilesCountInTheOrderOfTheirFirstLines() throws IOException {
    KeyedQuestion question = question();
    List<Found> lines =
        List.of(
            new Found("a/Gate.java", 1, "water"),
            new Found("a/Gate.java", 1, "more water"),
            new Found("b/Path.java", 1, ""),
            new Found("b/Wall.java", 1, ""),
            new Found("src/Bed.java", 1, "void rest()"));

    assertThat(question.judge(lines)).isEqualTo(new Verdict(false, false, true, false));
    assertThat(question.judge(lines.subList(2, 5)))
        .isEqualTo(new Verdict(false, true, true, false));
    assertThat(question.judge(List.of())).isEqualTo(new Verdict(false, false, false, false));
  }

  @Test
  void aRightLineCountsInARightFileOnly() throws IOException {
    KeyedQuestion question = question();

    assertThat(question.judge(List.of(new Found("src/Bed.java", 1, "  void watered() {"))))
        .isEqualTo(new Verdict(true, true, true, true));
    assertThat(question.judge(List.of(new Found("src/Flowerbed.java", 1, "water"))))
        .isEqualTo(new Verdict(false, false, false, false));
  }

  @Test
  void aSixthFileIsTooLate() throws IOException {
    KeyedQuestion question = question();
    List<String> files = List.of("1", "2", "3", "4", "5", "Bed.java");

    assertThat(question.judge(files, true)).isEqualTo(new Verdict(false, false, false, true));
  }

  @Test
  void whatIsNoQuestionIsRefusedWithItsLineAndTheReason() throws IOException {
    refused(LINE + "{}\n", ":2: lacks the text id");
    refused(LINE.replace("\"files\"", "\"file\""), ":1: lacks the list", "files");
    refused(LINE.replace("water\\\\w*", "(water"), ":1: Unclosed group", "(water");
    refused("{\"id\": ", ":1: ");
    refused("\n", "has no questions");
    assertThatThrownBy(() -> KeyedQuestion.read(folder.resolve("absent")))
        .hasMessageContaining("absent: cannot be read");
  }

  private void refused(String text, String... reason) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> KeyedQuestion.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(reason)
        .hasMessageNotContaining("\n");
  }
}
