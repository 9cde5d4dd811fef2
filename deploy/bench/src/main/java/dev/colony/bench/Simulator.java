package dev.colony.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.terminal.OnExit;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A simulator of replicas, a program of its own: {@code INTERPRETER SIMULATOR TRACE -n N -c C
 * --speed S -p POLICIES --json} prints an object a line for each policy; {@code --external COMMAND}
 * has it drive a scheduler over standard input and output instead.
 *
 * @param interpreter the program that runs it
 * @param script the simulator itself
 * @param longest how long one run of it may take; it and what it has started are ended then
 * @param directory for what it prints; exists
 */
record Simulator(Path interpreter, Path script, Duration longest, Path directory) {

  private static final int MOST_PRINTED = 1 << 20;
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration ENDING = Duration.ofSeconds(10);

  /** A run of the simulator did not end well; the message is one line. */
  static final class FailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    FailedException(String message) {
      super(message);
    }
  }

  /** Of several programs on the {@code PATH} the first that is there. */
  static Optional<Path> onPath(String... programs) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Arrays.stream(programs)
        .flatMap(program ->
            Arrays.stream(path.split(File.pathSeparator)).map(folder -> Path.of(folder, program)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** What was simulated: a trace over so many replicas of so many blocks each. */
  record Cell(Trace trace, int replicas, int cacheBlocks, double speed, int requests) {

    private List<String> options() {
      List<String> options = new ArrayList<>(List.of(trace.file().toString()));
      options.addAll(List.of("-n", Integer.toString(replicas)));
      options.addAll(List.of("-c", Integer.toString(cacheBlocks)));
      options.addAll(List.of("--speed", Double.toString(speed)));
      if (requests > 0) {
        options.addAll(List.of("--limit", Integer.toString(requests)));
      }
      options.add("--json");
      return options;
    }

    String words() {
      return String.format(
          Locale.ROOT,
          "%s, %d replicas of %d blocks, speed %s",
          trace.name(),
          replicas,
          cacheBlocks,
          speed);
    }
  }

  /** The policies of that name, in that order. */
  List<PolicyFigures> run(Cell cell, List<String> policies) {
    List<String> options = cell.options();
    options.addAll(List.of("-p", String.join(",", policies)));
    List<PolicyFigures> figures = run(cell, options, "policies " + String.join(", ", policies));
    if (figures.size() != policies.size()) {
      throw new FailedException(
          "the simulator printed %d results for %d policies on %s"
              .formatted(figures.size(), policies.size(), cell.words()));
    }
    return figures;
  }

  /** A scheduler that is a program of its own. */
  PolicyFigures run(Cell cell, Variant variant, List<String> scheduler) {
    List<String> options = cell.options();
    options.addAll(List.of("--external", shell(scheduler)));
    options.addAll(List.of("--declare", variant.declared().option()));
    options.addAll(List.of("--stale", Double.toString(variant.staleSeconds())));
    options.addAll(List.of("--lose", Double.toString(variant.lost())));
    List<PolicyFigures> figures = run(cell, options, "this scheduler, " + variant.words());
    if (figures.size() != 1) {
      throw new FailedException(
          "the simulator printed %d results for one scheduler on %s"
              .formatted(figures.size(), cell.words()));
    }
    return figures.getFirst();
  }

  /** The shares of blocks that no placement over one pool of all caches can exceed. */
  PolicyFigures.Bounds bounds(Cell cell) {
    List<String> options = cell.options();
    options.addAll(List.of("-p", "bounds"));
    List<JsonNode> printed = print(cell, options, "bounds");
    if (printed.isEmpty()) {
      throw new FailedException("the simulator printed no bounds on " + cell.words());
    }
    return PolicyFigures.Bounds.of(printed.getFirst());
  }

  /** A shell replaces itself by the program, so that the simulator has one child. */
  private static String shell(List<String> command) {
    StringBuilder line = new StringBuilder("exec");
    for (String word : command) {
      line.append(" '").append(word.replace("'", "'\\''")).append('\'');
    }
    return line.toString();
  }

  private List<PolicyFigures> run(Cell cell, List<String> options, String what) {
    return print(cell, options, what).stream()
        .map(object -> PolicyFigures.of(object).orElseThrow(() -> unusable(cell, what)))
        .toList();
  }

  private static FailedException unusable(Cell cell, String what) {
    return new FailedException(
        "the simulator printed no figures for %s on %s".formatted(what, cell.words()));
  }

  private List<JsonNode> print(Cell cell, List<String> options, String what) {
    List<String> line = new ArrayList<>(List.of(interpreter.toString(), script.toString()));
    line.addAll(options);
    try {
      Path printed = Files.createTempFile(directory, "simulator", ".out");
      Path said = Files.createTempFile(directory, "simulator", ".err");
      Process process =
          new ProcessBuilder(line)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(printed.toFile())
              .redirectError(said.toFile())
              .start();
      boolean ended = await(process);
      if (!ended || process.exitValue() != 0) {
        String why =
            ended
                ? lastLine(said).orElse("it said nothing and ended with " + process.exitValue())
                : "it took longer than " + longest.toSeconds() + " s";
        throw new FailedException(
            "the simulator failed at %s on %s: %s".formatted(what, cell.words(), why));
      }
      if (Files.size(printed) > MOST_PRINTED) {
        throw unusable(cell, what);
      }
      List<JsonNode> objects = new ArrayList<>();
      for (String one : Files.readAllLines(printed, StandardCharsets.UTF_8)) {
        if (!one.isBlank()) {
          objects.add(JsonLines.JSON.readTree(one));
        }
      }
      Files.delete(printed);
      Files.delete(said);
      return objects;
    } catch (JsonProcessingException noJson) {
      throw unusable(cell, what);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot run " + interpreter, failure);
    }
  }

  /** Whether it has ended by itself. Nothing that it has started is left in either case. */
  private boolean await(Process process) {
    Set<ProcessHandle> children = new LinkedHashSet<>();
    long began = System.nanoTime();
    OnExit ending = OnExit.run(() -> end(process, children));
    try {
      boolean ended = false;
      while (!ended && System.nanoTime() - began < longest.toNanos()) {
        synchronized (children) {
          children.removeIf(child -> !child.isAlive());
          process.descendants().forEach(children::add);
        }
        ended = process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS);
      }
      return ended;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted");
    } finally {
      end(process, children);
      ending.close();
    }
  }

  private static void end(Process process, Set<ProcessHandle> children) {
    List<ProcessHandle> all;
    synchronized (children) {
      process.descendants().forEach(children::add);
      all = new ArrayList<>(children);
    }
    all.add(process.toHandle());
    // A scheduler ends by itself when the simulator has: it is not cut off at its last words.
    long began = System.nanoTime();
    process.destroy();
    while (all.stream().anyMatch(ProcessHandle::isAlive)
        && System.nanoTime() - began < ENDING.toNanos()) {
      LockSupport.parkNanos(POLL.toNanos());
    }
    all.forEach(ProcessHandle::destroyForcibly);
  }

  private static Optional<String> lastLine(Path said) throws IOException {
    List<String> lines =
        Files.readString(said, StandardCharsets.UTF_8)
            .lines()
            .filter(line -> !line.isBlank())
            .toList();
    return lines.isEmpty() ? Optional.empty() : Optional.of(lines.getLast().strip());
  }
}
