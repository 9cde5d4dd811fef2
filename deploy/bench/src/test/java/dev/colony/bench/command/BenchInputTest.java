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
    refused("--nodes is 1", "placement", folder.toString(), "--nodes", "1");
    refused("--nodes is 0", "latency", folder.toString(), "--nodes", "0");
    refused("give a TREE, or --corpus", "latency");
    refused("none: no such directory", "latency", folder.resolve("none").toString());
    refused("--groups is 0", "placement", folder.toString(), "--groups", "0");
    refused("--rounds is 0", "query", folder.toString(), "--rounds", "0");
    refused("--page-tokens is 1", "query", folder.toString(), "--page-tokens", "1");
    refused("--clients is 0", "gateway", "--clients", "0");
    refused("--ops is 0", "gateway", "--ops", "0");
    refused("--rate is -1", "gateway", "--rate", "-1");
    refused("--streams is 20001", "gateway", "--streams", "20001");
    refused("--replica-time is -1.0", "gateway", "--replica-time", "-1");
    refused("--replica-time is NaN", "gateway", "--replica-time", "NaN");
    refused("--replicas is 0", "engine", "t", "--decisions", "d", "--replicas", "0");
    refused("--speed is 0.0", "engine", "t", "--decisions", "d", "--speed", "0");
    refused("--speed is NaN", "engine", "t", "--decisions", "d", "--speed", "NaN");
    refused("--steps is 1", "plan", "--steps", "1");
    refused("--pages is 19", "decisions", "--pages", "19");
    refused("--cache is 49, but must be 50", "decisions", "--cache", "49");
    refused("--tasks is 0", "plan", "--tasks", "0");
    refused("--parts times --rounds is 4096", "plan", "--parts", "64", "--rounds", "64");
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
