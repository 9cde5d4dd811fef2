package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be used is refused in one line, with status 2, before anything starts. */
class BadInputTest {

  @TempDir private Path folder;

  @Test
  void aPathThatIsMissing() {
    refused("no such directory", "run", folder.resolve("nowhere").toString(), "--ask", "x");
  }

  @Test
  void aPathThatIsAFile() throws Exception {
    Path file = Files.writeString(folder.resolve("file.txt"), "text");
    refused("is a file", "run", file.toString(), "--ask", "x");
  }

  @Test
  void aDirectoryWithoutTextFiles() throws Exception {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    refused("no text files", "run", empty.toString(), "--ask", "x");
  }

  @Test
  void anEmptyQuestion() {
    refused("question is empty", "run", folder.toString(), "--ask", "  ");
    refused("question is empty", "run", folder.toString());
  }

  @Test
  void noPath() {
    refused("give a PATH", "run", "--ask", "x");
  }

  @Test
  void aNumberOfNodesOutOfRange() {
    refused("--nodes is 0", "run", folder.toString(), "--ask", "x", "--nodes", "0");
    refused("--nodes", "run", folder.toString(), "--ask", "x", "--nodes", "many");
  }

  @Test
  void aBenchmarkOutOfRange() {
    refused("--nodes is 1", "bench", "placement", folder.toString(), "--nodes", "1");
    refused("--groups is 0", "bench", "placement", folder.toString(), "--groups", "0");
  }

  @Test
  void aBenchmarkToResumeThatIsNone() throws Exception {
    Path kept = Files.createDirectories(folder.resolve("state/bench/other")).getParent();
    for (String none : List.of("r-1", "", ".", "..", "../..", "other/..", folder.toString())) {
      refused(
          "no benchmark",
          "bench",
          "steps",
          "--resume",
          none,
          "--state",
          folder.resolve("state").toString());
    }
    assertThat(kept).exists();
  }

  @Test
  void aSettingOutOfItsRange() throws Exception {
    for (String line :
        List.of(
            "colony.vcm.grouping.page-size-tokens = 3",
            "colony.vcm.placement.policy = nearest",
            "colony.agent.placement-units = 0",
            "colony.agent.journal.slots = 0",
            "colony.blackboard.buckets = 0",
            "colony.blackboard.server.fsync = sometimes",
            "colony.inference.client.probe-timeout = 0 s",
            "colony.inference.gateway.max-attempts = 0",
            "colony.inference.embedded.block-tokens = 0")) {
      Path file = Files.writeString(folder.resolve("bad.conf"), line);
      String path = line.substring(0, line.indexOf(" ="));
      refused(
          path,
          "run",
          folder.toString(),
          "--ask",
          "x",
          "--config",
          file.toString(),
          "--state",
          folder.resolve("state").toString());
    }
  }

  @Test
  void aModelUrlThatIsNone() {
    refused("--model-url", "run", folder.toString(), "--ask", "x", "--model-url", "gpu-1:8000");
  }

  @Test
  void aResumeThatNamesPathAndQuestionToo() {
    refused("--resume", "run", folder.toString(), "--ask", "x", "--resume", "r-1");
  }

  @Test
  void anUnknownOptionAndAnUnknownCommand() {
    refused("--no-such-option", "run", "--no-such-option");
    refused("rum", "rum");
  }

  @Test
  void aStateDirectoryThatIsAFile() throws Exception {
    Path file = Files.writeString(folder.resolve("state"), "text");
    Path tree = Files.createDirectory(folder.resolve("tree"));
    Files.writeString(tree.resolve("a.txt"), "text");
    refused("is a file", "run", tree.toString(), "--ask", "x", "--state", file.toString());
  }

  private void refused(String part, String... arguments) {
    PrintStream before = System.err;
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      assertThat(ColonyCommand.execute(arguments)).isEqualTo(2);
    } finally {
      System.setErr(before);
    }
    assertThat(err.toString(StandardCharsets.UTF_8).lines().toList())
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith("colony: ").contains(part));
  }
}
