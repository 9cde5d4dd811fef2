package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    refused("give a SOURCE", "run", "--ask", "x");
  }

  @Test
  void aNumberOfNodesOutOfRange() {
    refused("--nodes is 0", "run", folder.toString(), "--ask", "x", "--nodes", "0");
    refused("--nodes", "run", folder.toString(), "--ask", "x", "--nodes", "many");
  }

  @Test
  void aColonyToServeOverMcpThatIsNone() {
    refused("TENANT/COLONY", "mcp", "billing", "--url", "http://127.0.0.1:1");
    refused("colony must be", "mcp", "acme/a b", "--url", "http://127.0.0.1:1");
    refused("--url", "mcp", "acme/billing", "--url", "127.0.0.1");
    refused("--key-file", "mcp", "acme/billing", "--url", "http://x", "--key-file", "/no/such");
    refused("call colony up", "mcp", "acme/billing", "--state", folder.toString());
  }

  @Test
  void aBenchmarkWhereNoneAreOnTheClassPath() {
    refused("'bench'", "bench", "steps");
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
