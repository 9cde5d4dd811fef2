package dev.colony.deploy.bench;

import dev.colony.agent.journal.AppendCeiling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The most appends that this Redis takes of the journal's script: driven flat out by our client
 * and, where there is one, by redis-benchmark; the higher of the two.
 *
 * @param by who drove it
 */
public record Ceiling(double appendsPerSecond, String by) {

  private static final Pattern RATE = Pattern.compile("([0-9.]+) requests per second");
  private static final int TOOL_CLIENTS = 50;

  static Ceiling measure(String redisUri, int port, StepsLoad load, int recordBytes) {
    int appends = Math.max(20_000, load.agents() * load.steps());
    AppendCeiling script = new AppendCeiling(redisUri, load.agents(), recordBytes, appends);
    AppendCeiling.Rate own = script.best();
    Ceiling ours =
        new Ceiling(
            own.appendsPerSecond(),
            "our client flat out, %d connections, %d under way"
                .formatted(own.connections(), own.depth()));
    return tool()
        .flatMap(binary -> byTool(binary, port, appends, script.toolInput()))
        .filter(rate -> rate > ours.appendsPerSecond())
        .map(rate -> new Ceiling(rate, "redis-benchmark, " + TOOL_CLIENTS + " clients"))
        .orElse(ours);
  }

  private static Optional<Path> tool() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(path.split(java.io.File.pathSeparator))
        .map(folder -> Path.of(folder, "redis-benchmark"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Optional<Double> byTool(
      Path binary, int port, int appends, AppendCeiling.ToolInput input) {
    List<String> line =
        new ArrayList<>(
            List.of(
                binary.toString(),
                "-p",
                Integer.toString(port),
                "-n",
                Integer.toString(appends),
                "-c",
                Integer.toString(TOOL_CLIENTS),
                "-r",
                "999999999999",
                "-q"));
    line.addAll(input.command());
    try {
      Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
      String printed = new String(process.getInputStream().readAllBytes());
      Matcher rate = RATE.matcher(printed);
      double best = 0;
      while (rate.find()) {
        best = Math.max(best, Double.parseDouble(rate.group(1)));
      }
      return best > 0 ? Optional.of(best) : Optional.empty();
    } catch (IOException unusable) {
      return Optional.empty();
    }
  }
}
