package dev.colony.bench.schedule;

import dev.colony.bench.load.JsonLines;
import dev.colony.bench.schedule.ScheduleReport.Ours;
import dev.colony.bench.schedule.ScheduleReport.Result;
import dev.colony.cli.terminal.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Replays traces over simulated replicas: under the published policies, under this scheduler as its
 * own program decides it, and under the bounds that none can exceed. The same arguments give the
 * same figures.
 */
public final class ScheduleBenchmark {

  private final Simulator simulator;
  private final ScheduleLoad load;
  private final Path directory;

  /**
   * @param interpreter the program that runs the simulator
   * @param longest how long one run of the simulator may take
   * @param directory for what is kept until the end; exists
   */
  public ScheduleBenchmark(
      Path interpreter, Path simulator, Duration longest, Path directory, ScheduleLoad load) {
    this.simulator = new Simulator(interpreter, simulator, longest, directory);
    this.directory = directory;
    this.load = load;
  }

  /** The first of the programs that is on the {@code PATH}: what simulators are run by. */
  public static Optional<Path> onPath(String... programs) {
    return Simulator.onPath(programs);
  }

  /**
   * Blocks until all is simulated.
   *
   * @throws java.io.UncheckedIOException if a trace cannot be read, or the simulator not be run
   * @throws IOException if a trace that is drawn from another cannot be kept
   * @throws IllegalArgumentException if a trace is none, or the simulator fails; the message is one
   *     line
   */
  public ScheduleReport run(List<Path> files, Progress progress) throws IOException {
    List<Trace> traces = new ArrayList<>();
    for (Path file : files) {
      Trace trace = Trace.open(file);
      traces.add(trace);
      if (load.resampleSeed().isPresent()) {
        traces.add(resampled(trace, traces.size()));
      }
    }
    try {
      List<Result> results = new ArrayList<>();
      for (Trace trace : traces) {
        for (int cache : load.cacheBlocks()) {
          for (int replicas : load.replicas()) {
            double speed = load.speed(trace, replicas);
            results.add(
                result(
                    new Simulator.Cell(trace, replicas, cache, speed, load.requests()), progress));
          }
        }
      }
      return new ScheduleReport(results);
    } catch (Simulator.FailedException failed) {
      throw new IllegalArgumentException(failed.getMessage(), failed);
    }
  }

  private Trace resampled(Trace trace, int number) throws IOException {
    long seed = load.resampleSeed().getAsLong();
    Path file = directory.resolve("trace-" + number + ".jsonl.gz");
    JsonLines.write(file, ResampledTrace.of(Trace.read(trace.file()), seed));
    Trace drawn = Trace.open(file);
    return new Trace(
        file,
        "%s, resampled with seed %d".formatted(trace.name(), seed),
        drawn.sessions(),
        drawn.requests());
  }

  private Result result(Simulator.Cell cell, Progress progress) {
    List<Variant> variants = Variant.of(load, cell.trace().sessions());
    String stage = cell.words();
    int total = variants.size() + 2;
    List<Ours> ours = new ArrayList<>();
    for (Variant variant : variants) {
      progress.at(stage, ours.size(), total);
      ours.add(new Ours(variant, simulator.run(cell, variant, scheduler(variant))));
    }
    progress.at(stage, variants.size(), total);
    List<String> policies = new ArrayList<>(load.published());
    policies.add(load.oracle());
    List<PolicyFigures> others = simulator.run(cell, policies);
    progress.at(stage, variants.size() + 1, total);
    Result result =
        new Result(
            cell,
            ours,
            others.subList(0, others.size() - 1),
            others.getLast(),
            simulator.bounds(cell));
    progress.done(
        stage,
        String.format(
            Locale.ROOT,
            "%.2f s beside %.2f s of %s",
            ours.getFirst().figures().seconds(),
            result.best().seconds(),
            result.best().policy()));
    return result;
  }

  /** {@code ./colony schedule --stdio} of what this process itself runs from. */
  private static List<String> scheduler(Variant variant) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        "dev.colony.cli.Main",
        "schedule",
        "--stdio",
        "--eviction",
        variant.eviction().name().toLowerCase(Locale.ROOT),
        "--bound",
        Double.toString(variant.boundSeconds()));
  }
}
