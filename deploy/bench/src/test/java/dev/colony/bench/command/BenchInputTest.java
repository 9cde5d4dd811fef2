package dev.colony.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.CommandLineRun;
import dev.colony.cli.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a benchmark cannot use is refused in one line, before anything starts. */
class BenchInputTest {

  @TempDir private Path folder;

  @Test
  void aNumberOutOfRange() {
    refused("--clients is 0", "gateway", "--clients", "0");
    refused("--ops is 0", "gateway", "--ops", "0");
    refused("--rate is -1", "gateway", "--rate", "-1");
  }

  @Test
  void aFileToCompareWithThatNoneOfItsKindHasPrinted() throws Exception {
    Path other = folder.resolve("other.json");
    Files.writeString(other, "{\"command\": \"bench board\"}");
    for (Path file : List.of(other, folder.resolve("none.json"), folder)) {
      refused("--compare " + file, "steps", "--compare", file.toString());
    }
  }

  @Test
  void aBenchmarkToResumeThatIsNone() throws Exception {
    Path kept = Files.createDirectories(folder.resolve("state/bench/other")).getParent();
    for (String none : List.of("r-1", "", ".", "..", "../..", "other/..", folder.toString())) {
      refused(
          "no benchmark", "steps", "--resume", none, "--state", folder.resolve("state").toString());
    }
    assertThat(kept).exists();
  }

  private static void refused(String part, String... arguments) {
    String[] line = new String[arguments.length + 1];
    line[0] = "bench";
    System.arraycopy(arguments, 0, line, 1, arguments.length);
    Rig.assertOneLine(CommandLineRun.of(line), 2, part);
  }
}
