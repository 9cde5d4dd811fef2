package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.terminal.TerminalBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TypedLinesTest {

  @TempDir private Path folder;

  @Test
  void pipedLinesComeOneAfterTheOther() {
    ByteArrayInputStream in =
        new ByteArrayInputStream("one\n\nzwei ä\nthree".getBytes(StandardCharsets.UTF_8));
    try (TypedLines lines = new TypedLines.Piped(in)) {
      assertThat(all(lines)).containsExactly("one", "", "zwei ä", "three");
    }
  }

  @Test
  void linesThatAreTypedAreEditedAndRemembered() throws IOException {
    Path history = folder.resolve("history");
    // A backspace, and what a shell would take for a reference to its history.
    assertThat(typed("hellp\b" + "o!\rwhat about !x\r", history))
        .containsExactly("hello!", "what about !x");
    assertThat(Files.readString(history)).contains("hello!", "what about !x");
    // The arrow up, twice, brings back what was typed in the conversation before.
    assertThat(typed("\u001b[A\u001b[A\r", history)).containsExactly("hello!");
  }

  private static List<String> typed(String keys, Path history) throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(keys.getBytes(StandardCharsets.UTF_8));
    try (TypedLines lines =
        new TypedLines.Edited(
            TerminalBuilder.builder()
                .system(false)
                .streams(in, new ByteArrayOutputStream())
                .type("ansi")
                .build(),
            history,
            10)) {
      return all(lines);
    }
  }

  private static List<String> all(TypedLines lines) {
    List<String> all = new ArrayList<>();
    for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
      all.add(line.get());
    }
    return all;
  }
}
