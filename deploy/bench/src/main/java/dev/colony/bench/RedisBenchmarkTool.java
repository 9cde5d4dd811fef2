package dev.colony.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code redis-benchmark} of the {@code PATH}, against a server on this machine. It replaces
 * each {@code __rand_int__} in a command by 12 random digits.
 */
public record RedisBenchmarkTool(Path binary, int port) {

  private static final Pattern RATE = Pattern.compile("([0-9.]+) requests per second");

  /** The tool takes no larger number. */
  private static final String RANDOM_UP_TO = "2000000000";

  private static final Duration LONGEST = Duration.ofMinutes(5);

  /** The tool, where there is one. */
  public static Optional<RedisBenchmarkTool> find(int port) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(path.split(File.pathSeparator))
        .map(folder -> Path.of(folder, "redis-benchmark"))
        .filter(Files::isExecutable)
        .findFirst()
        .map(binary -> new RedisBenchmarkTool(binary, port));
  }

  /**
   * How many requests per second it says that it made, empty if it says nothing. It counts replies,
   * errors too: the bench that uses the figure looks at what the server did.
   *
   * @param clients connections
   * @param pipeline how many requests each has under way
   */
  public Optional<Double> rate(int requests, int clients, int pipeline, List<String> command) {
    List<String> line = new ArrayList<>(List.of(binary.toString(), "-q", "-r", RANDOM_UP_TO));
    line.addAll(List.of("-p", Integer.toString(port), "-n", Integer.toString(requests)));
    line.addAll(List.of("-c", Integer.toString(clients), "-P", Integer.toString(pipeline)));
    line.addAll(command);
    return rate(line);
  }

  private static Optional<Double> rate(List<String> line) {
    try {
      Path printed = Files.createTempFile("redis-benchmark", ".out");
      try {
        Process process =
            new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
          process.destroyForcibly();
          return Optional.empty();
        }
        Matcher rates = RATE.matcher(Files.readString(printed));
        return rates.results().map(rate -> Double.valueOf(rate.group(1))).max(Double::compare);
      } finally {
        Files.deleteIfExists(printed);
      }
    } catch (IOException unusable) {
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
