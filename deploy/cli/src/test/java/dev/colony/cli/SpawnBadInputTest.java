package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people are told whose file, or whose cluster, cannot be used. */
class SpawnBadInputTest {

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"notes", "reviewer", "supervisor"})
  void theExamplesAreInOrder(String example) {
    Path file = ProjectRoot.find().resolve("examples").resolve(example + ".json");
    Finished checked = colony("spawn", file.toString(), "--check");
    assertThat(checked.status()).as(checked.err()).isZero();
    assertThat(checked.out()).isEqualTo("local/main/" + example + "\n");
    assertThat(checked.err()).isEqualTo("colony: the file is in order\n");
  }

  /** A device never ends, and says of itself that it is empty. */
  @Test
  void ofAFileThatNeverEndsNoMoreIsReadThanItMayHave() {
    Finished blueprint = colony("spawn", "/dev/zero", "--check");
    assertThat(blueprint.status()).isEqualTo(2);
    assertThat(blueprint.err())
        .isEqualTo("colony: /dev/zero has more bytes than a blueprint may: 524,288\n");
    Finished key =
        colony(
            "spawn",
            ProjectRoot.find().resolve("examples/notes.json").toString(),
            "--url",
            "http://127.0.0.1:1",
            "--key-file",
            "/dev/zero");
    assertThat(key.status()).isEqualTo(2);
    assertThat(key.err())
        .startsWith("colony: the file of --key-file cannot be read")
        .hasLineCount(1);
    Finished settings = colony("up", "--config", "/dev/zero");
    assertThat(settings.status()).isEqualTo(2);
    assertThat(settings.err())
        .contains("/dev/zero cannot be read: it has more than")
        .hasLineCount(1);
  }

  @Test
  void aPipeThatNobodyWritesToIsNotWaitedForWithoutEnd() throws Exception {
    Path silent = pipe("silent.json");
    Rig.assertOneLine(colony("spawn", silent.toString(), "--check"), 2, "cannot be read");
    Path pipe = pipe("pipe.json");
    Thread writer =
        Thread.startVirtualThread(() -> {
          try {
            Files.writeString(pipe, "{\"name\": \"one\", \"policy\": \"minimal\"}");
          } catch (IOException broken) {
            throw new IllegalStateException(broken);
          }
        });
    assertThat(colony("spawn", pipe.toString(), "--check").out()).isEqualTo("local/main/one\n");
    writer.join();
  }

  private Path pipe(String name) throws Exception {
    Path pipe = folder.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  @Test
  void aMarkOfTheEncodingIsNoPartOfAFile() throws IOException {
    Path marked = write("marked.json", "\uFEFF{\"policy\": \"minimal\"}");
    assertThat(colony("spawn", marked.toString(), "--check").out())
        .isEqualTo("local/main/marked\n");
  }

  @Test
  void aFileThatIsNestedTooDeepIsRefusedInWordsForPeople() throws IOException {
    Path deep = write("deep.json", "{\"a\":".repeat(5_000));
    assertThat(colony("spawn", deep.toString(), "--check").err())
        .contains("Document nesting depth (101) exceeds the maximum allowed (100)\n");
  }

  @Test
  void eachProblemIsALineWithItsPlace() throws IOException {
    Path file =
        write("wrong.json", "{\n  \"policy\": \"minimel\",\n  \"gaols\\u001b[2J\": []\n}\n");
    Finished refused = colony("spawn", file.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err().lines())
        .hasSize(3)
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .startsWith(file + ":2:13: no policy minimel is registered: did you mean"),
            line ->
                assertThat(line)
                    .startsWith(file + ":3:3: an agent's blueprint has no field gaols")
                    .doesNotContain("\u001b"),
            line ->
                assertThat(line).isEqualTo("colony: " + file + " describes no agent: 2 problems"));
  }

  /** The types of tests are known here besides, so lists of names are longer than the guide's. */
  @Test
  void theGuideShowsWhatIsPrinted() throws IOException {
    Path file =
        write(
            "wrong.json",
            """
            {
              "policy": "minimel",
              "gaols": "x",
              "capabilities": [
                {"type": "memory", "args": {"window": "20"}, "excludeActions": ["memory_red"]}
              ],
              "budget": {"time": "5 minutes"}
            }
            """);
    String guide =
        Files.readString(ProjectRoot.find().resolve("docs/getting-started/blueprint-files.md"));
    String block = guide.substring(guide.indexOf("$ ./colony spawn wrong.json\n"));
    List<String> shown =
        block
            .substring(0, block.indexOf("```"))
            .lines()
            .skip(1)
            .map(SpawnBadInputTest::unlisted)
            .toList();
    Finished refused = colony("spawn", file.toString());
    assertThat(refused.err().replace(folder + "/", "").lines().map(SpawnBadInputTest::unlisted))
        .containsExactlyElementsOf(shown);
  }

  private static String unlisted(String line) {
    return line.replaceAll("(there are|it has) \\[.*]", "$1 [...]");
  }

  @Test
  void whatIsNoFileOfTextIsRefusedInOneLine() throws IOException {
    Rig.assertOneLine(
        colony("spawn", folder.resolve("none.json").toString()), 2, "there is no file");
    Rig.assertOneLine(colony("spawn", folder.toString()), 2, "cannot be read");
    Path binary = Files.write(folder.resolve("binary.json"), new byte[] {(byte) 0xc3, 0x28});
    Rig.assertOneLine(colony("spawn", binary.toString()), 2, "is no text in UTF-8");
    Path large = write("large.json", " ".repeat(600_000));
    Rig.assertOneLine(colony("spawn", large.toString()), 2, "600,000 bytes, more than");
    Path odd = write("no name.json", "{\"policy\": \"minimal\"}");
    Rig.assertOneLine(colony("spawn", odd.toString()), 2, "names no agent", "--name");
    Rig.assertOneLine(colony("spawn"), 2, "FILE");
    Rig.assertOneLine(colony("spawn", odd.toString(), "--name", "a b"), 2, "a b");
  }

  @Test
  void whereNothingIsUpThatIsSaid() throws IOException {
    Path file = write("good.json", "{\"policy\": \"minimal\"}");
    Rig.assertOneLine(colony("spawn", file.toString()), 5, "nothing is up in", "call colony up");
    Rig.assertOneLine(colony("ask", "a/b/c", "x"), 5, "nothing is up in");
    Rig.assertOneLine(colony("chat", "a/b/c"), 5, "nothing is up in");
    Rig.assertOneLine(colony("approvals"), 5, "nothing is up in");
    Rig.assertOneLine(colony("ask", "a/b/c", "x", "--url", "ftp://x"), 2, "--url is http://");
    Rig.assertOneLine(colony("ask", "a/b/c", "x", "--timeout", "soon"), 2, "90s or 2h");
    Rig.assertOneLine(colony("ask", "a/b/c", "x", "--session", "a b"), 2, "a b");
    Rig.assertOneLine(colony("ask", "a/b/c"), 2, "TEXT");
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Finished colony(String... arguments) {
    String[] line = Arrays.copyOf(arguments, arguments.length + 2);
    line[arguments.length] = "--state";
    line[arguments.length + 1] = folder.resolve("state").toString();
    return CommandLineRun.of(line);
  }
}
