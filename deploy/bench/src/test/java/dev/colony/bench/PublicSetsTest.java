package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.bench.KeyedQuestion.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicSetsTest {

  private static final String CONTEXT =
      """
      {"instance_id": "c-1", "repo": "org/garden", "base_commit": "0123abc", "language": "java", \
      "problem_statement": "Beds are dry.\\n\\nWhy?", "gold_context": \
      "[{\\"file\\": \\"/workspace/garden/src/Bed.java\\", \\"start_line\\": 4, \\"end_line\\": 6}]"}
      """;

  @TempDir private Path folder;

  private List<KeyedQuestion> read(String text) throws IOException {
    return KeyedQuestion.read(Files.writeString(folder.resolve("flask.jsonl"), text));
  }

  @Test
  void aQuestionOfContextBenchHasItsRepositorysCommitAndItsLines() throws IOException {
    KeyedQuestion question = read(CONTEXT).getFirst();

    assertThat(question.id()).isEqualTo("c-1");
    assertThat(question.corpus()).isEqualTo("org/garden@0123abc");
    assertThat(question.question()).isEqualTo("Beds are dry. Why?");
    assertThat(question.kind()).isEqualTo("java");
    assertThat(question.right(new Found("src/Bed.java", 1, "a\nb\nc"))).isFalse();
    assertThat(question.right(new Found("src/Bed.java", 2, "a\nb\nc"))).isTrue();
    assertThat(question.right(new Found("src/Bed.java", 7, "d"))).isFalse();
    assertThat(question.right(new Found("src/OtherBed.java", 4, "a"))).isFalse();
  }

  @Test
  void aQuestionOfSweQaIsAboutTheRepositoryThatItsFileIsNamedFor() throws IOException {
    List<KeyedQuestion> questions =
        read(
            """
            {"question": "Why is it so?", "answer": "For no reason, e.g. by chance."}
            {"question": "Where is it?", "answer": "In `src/flask/app.py` (lines 7-9)."}
            """);

    assertThat(questions).extracting(KeyedQuestion::id).containsExactly("flask-2");
    assertThat(questions.getFirst().corpus()).isEqualTo("flask");
    assertThat(questions.getFirst().kind()).isEqualTo("where");
    assertThat(questions.getFirst().right(new Found("src/flask/app.py", 8, ""))).isTrue();
  }

  @Test
  void linesAreOfTheFileThatIsMentionedBeforeThemUnlessOneFollows() {
    assertThat(
            PublicSets.mentioned(
                "`./src/a.py` (line 3) calls it (lines 88-89 in `b.py` and lines 4\u20135), see"
                    + " docs/c.rst:12-14 of release 1.5, e.g. by app.run."))
        .containsExactly(
            new Place("src/a.py", 0, 0),
            new Place("src/a.py", 3, 3),
            new Place("b.py", 88, 89),
            new Place("b.py", 4, 5),
            new Place("docs/c.rst", 12, 14));
  }

  @Test
  void whatASetLacksIsRefusedWithItsLine() {
    assertThatThrownBy(() -> read(CONTEXT.replace("base_commit", "commit")))
        .hasMessageContaining(":1: lacks the text base_commit");
    assertThatThrownBy(() -> read(CONTEXT.replace("\"[{", "\"[")))
        .hasMessageContaining(":1: gold_context is no JSON");
  }
}
