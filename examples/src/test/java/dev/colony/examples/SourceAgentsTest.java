package dev.colony.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.testkit.FakeModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command for source trees from its arguments to what it prints, on a node. */
class SourceAgentsTest {

  private static final Pattern LOGGED = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT");

  @TempDir private Path tree;
  @TempDir private Path state;

  @BeforeEach
  void tree() throws Exception {
    write("a/Page.java", "/** A page. */\nclass Page {\n  int size() {\n    return 1;\n  }\n}\n");
    write("a/Shelf.java", "class Shelf {\n  int width() {\n    return page.size();\n  }\n}\n");
  }

  private void write(String file, String text) throws IOException {
    Path path = tree.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private List<String> printed(String command, String... arguments) {
    List<String> line = new ArrayList<>(List.of(command, tree.toString()));
    line.addAll(List.of(arguments));
    line.addAll(List.of("--state", state.toString()));
    PrintStream out = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      assertThat(Examples.execute(line.toArray(String[]::new))).isZero();
    } finally {
      System.setOut(out);
    }
    // The log of the tests' own process goes to standard output too.
    return bytes
        .toString(StandardCharsets.UTF_8)
        .lines()
        .filter(printed -> !LOGGED.matcher(printed).find())
        .toList();
  }

  @Test
  void aModelServerJudgesWhatAChangeWouldBreak() {
    try (FakeModel model = FakeModel.start()) {
      model.expect("Give the names").answer(Map.of("symbols", List.of("size")));
      // As a model does that has not read the schema to its end.
      model.expect("[1] a/Shelf.java:3").answer(Map.of("sites", List.of(Map.of("site", 1))));
      model
          .expect("[1] a/Shelf.java:3")
          .answer(
              Map.of(
                  "sites",
                  List.of(
                      Map.of("site", 1, "verdict", "must_change", "why", "width gives an int"))));
      model.expect("must_change: width gives an int").answer(Map.of("summary", "Shelf breaks."));
      assertThat(
              printed(
                  "impact",
                  "what would break by Page.size?",
                  "--model-url",
                  model.uri().toString()))
          .containsExactly(
              "Changes",
              "  function size  a/Page.java:3-5",
              "Must change (1)",
              "  a/Shelf.java:3 in width  return page.size();",
              "    width gives an int",
              "Summary",
              "  Shelf breaks.");
    }
  }
}
