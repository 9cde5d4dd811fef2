package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.ScheduleReport.Ours;
import dev.colony.bench.ScheduleReport.Result;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Progress;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.WorkingSetSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Holds the scheduler against published policies in a simulator, or has one drive it. */
@Command(
    name = "schedule",
    mixinStandardHelpOptions = true,
    description = {
      "The scheduler beside published policies and an oracle, on traces of requests in a simulator"
          + " of replicas; the load grows with the replicas.",
      "Each declaration is run with each bound; the first of them also with each other control of "
          + "evictions, and with --stale and --lose where one is above 0. The same options always "
          + "give the same figures, in Markdown or with --json.",
      "With --stdio the scheduler itself, for a simulator to drive: reads events from standard"
          + " input, one JSON object a line, and answers each prompt with a replica.",
    })
public final class ScheduleBench extends Bench {

  private static final Pattern POLICY = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  @Parameters(
      paramLabel = "TRACE",
      arity = "0..*",
      description =
          "Requests, one JSON object a line, .gz or not, as docs/design/scheduling.md says.")
  private List<Path> traces = List.of();

  @Option(
      names = "--stdio",
      description =
          "Talks to a simulator over standard input and output; of the other options only --bound"
              + " and --eviction count, with one value each.")
  private boolean stdio;

  @Option(
      names = "--simulator",
      paramLabel = "FILE",
      description =
          "The simulator: a program that takes the options named in docs/design/scheduling.md.")
  private Path simulator;

  @Option(
      names = "--interpreter",
      paramLabel = "PROGRAM",
      description = "What runs the simulator (default: pypy3 if it is on the PATH, else python3).")
  private Path interpreter;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      split = ",",
      defaultValue = "4,8,16",
      description = "How many (default: ${DEFAULT-VALUE}).")
  private List<Integer> replicas;

  @Option(
      names = "--cache",
      paramLabel = "C",
      split = ",",
      defaultValue = "850",
      description = "Blocks that a replica holds (default: ${DEFAULT-VALUE}).")
  private List<Integer> cacheBlocks;

  @Option(
      names = "--policies",
      paramLabel = "NAME",
      split = ",",
      defaultValue =
          "random,round_robin,least_loaded,consistent_hash,prefix_hash_1k,session_least,"
              + "sglang_cache_aware,smg_kv_events,dynamo_kv,llmd_precise,llmd_chart_322,"
              + "aibrix_prefix,ray_prefix_affinity,stack_prefixaware,preble_e2,mooncake_minttft,"
              + "thunderagent",
      description = "The simulator's names of the published policies (default: ${DEFAULT-VALUE}).")
  private List<String> policies;

  @Option(
      names = "--oracle",
      paramLabel = "NAME",
      defaultValue = "oracle_shared",
      description = "Its name of the bound that no policy reaches (default: ${DEFAULT-VALUE}).")
  private String oracle;

  @Option(
      names = "--declare",
      paramLabel = "WHAT",
      split = ",",
      defaultValue = "next_use",
      description =
          "What agents tell: next_use, plan (next use and turns left) or nothing (default: "
              + "${DEFAULT-VALUE}).")
  private List<ScheduleLoad.Declared> declared;

  @Option(
      names = "--bound",
      paramLabel = "SECONDS",
      split = ",",
      defaultValue = "900",
      description =
          "That an agent waits before others are paged out for it (default: ${DEFAULT-VALUE}).")
  private List<Double> bounds;

  @Option(
      names = "--eviction",
      paramLabel = "HOW",
      split = ",",
      defaultValue = "hints",
      description =
          "How caches are told what is wanted least: hints, touches or none (default: "
              + "${DEFAULT-VALUE}).")
  private List<EvictionControl> evictions;

  @Option(
      names = "--stale",
      paramLabel = "SECONDS",
      defaultValue = "0",
      description = "By which it hears late of caches (default: ${DEFAULT-VALUE}).")
  private double stale;

  @Option(
      names = "--lose",
      paramLabel = "SHARE",
      defaultValue = "0",
      description = "Of evictions that it never hears of, 0 to 1 (default: ${DEFAULT-VALUE}).")
  private double lose;

  @Option(
      names = "--speed",
      paramLabel = "FACTOR",
      description =
          "Times as fast as recorded, at eight replicas (default: 1 for traces with sessions, 1.5 "
              + "for others).")
  private Double speed;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "0",
      description = "The first of each trace; 0 for all (default: ${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--longest",
      paramLabel = "MINUTES",
      defaultValue = "60",
      description = "That one run of the simulator may take (default: ${DEFAULT-VALUE}).")
  private int longest;

  private ScheduleReport report;

  @Override
  public Integer call() throws IOException {
    if (!stdio) {
      return super.call();
    }
    check();
    return drive();
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) throws IOException {
    Files.createDirectories(directory);
    Simulator runs =
        new Simulator(
            interpreter == null ? found() : interpreter,
            simulator,
            Duration.ofMinutes(longest),
            directory);
    ScheduleLoad load = load();
    try {
      List<Trace> opened = traces.stream().map(Trace::open).toList();
      List<Result> results = new ArrayList<>();
      for (Trace trace : opened) {
        for (int cache : load.cacheBlocks()) {
          for (int many : load.replicas()) {
            double times = load.speed(trace, many);
            Simulator.Cell cell = new Simulator.Cell(trace, many, cache, times, load.requests());
            results.add(result(runs, load, cell, progress));
          }
        }
      }
      report = new ScheduleReport(results);
      return report.toJson();
    } catch (IllegalArgumentException | Simulator.FailedException unusable) {
      throw new CommandFailure(ExitCode.BAD_INPUT, unusable.getMessage(), unusable);
    } catch (UncheckedIOException failed) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, failed.getMessage() + ": " + failed.getCause().getMessage(), failed);
    }
  }

  @Override
  protected String text(ObjectNode found) {
    return report.toMarkdown();
  }

  private static Result result(
      Simulator runs, ScheduleLoad load, Simulator.Cell cell, Progress progress) {
    List<Variant> variants = Variant.of(load, cell.trace().sessions());
    String stage = cell.words();
    int total = variants.size() + 2;
    List<Ours> ours = new ArrayList<>();
    for (Variant variant : variants) {
      progress.at(stage, ours.size(), total);
      ours.add(new Ours(variant, runs.run(cell, variant, scheduler(variant))));
    }
    progress.at(stage, variants.size(), total);
    List<String> policies = new ArrayList<>(load.published());
    policies.add(load.oracle());
    List<PolicyFigures> others = runs.run(cell, policies);
    progress.at(stage, variants.size() + 1, total);
    Result result =
        new Result(
            cell, ours, others.subList(0, others.size() - 1), others.getLast(), runs.bounds(cell));
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

  /** {@code ./colony bench schedule --stdio} of what this process itself runs from. */
  private static List<String> scheduler(Variant variant) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        "dev.colony.cli.Main",
        "bench",
        "schedule",
        "--stdio",
        "--eviction",
        variant.eviction().name().toLowerCase(Locale.ROOT),
        "--bound",
        Double.toString(variant.boundSeconds()));
  }

  private int drive() throws IOException {
    if (bounds.size() != 1 || evictions.size() != 1) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "with --stdio, --bound and --eviction have one value each");
    }
    try {
      SchedulerOverStdio.drive(
          System.in,
          System.out,
          WorkingSetSettings.DEFAULT.withBoundSeconds(bounds.getFirst()),
          evictions.getFirst());
      return ExitCode.OK.status();
    } catch (IllegalArgumentException notAnEvent) {
      throw new CommandFailure(ExitCode.BAD_INPUT, notAnEvent.getMessage(), notAnEvent);
    }
  }

  private ScheduleLoad load() {
    return new ScheduleLoad(
        replicas,
        cacheBlocks,
        policies,
        oracle,
        declared,
        bounds,
        evictions,
        stale,
        lose,
        speed == null ? OptionalDouble.empty() : OptionalDouble.of(speed),
        requests);
  }

  @Override
  protected void check() {
    replicas.forEach(count -> check("--replicas", count, 1, 1024));
    cacheBlocks.forEach(count -> check("--cache", count, 1, 1_000_000));
    bounds.forEach(seconds -> check("--bound", seconds, 1, 1_000_000));
    check("--stale", stale, 0, 3_600);
    check("--lose", lose, 0, 1);
    if (speed != null) {
      check("--speed", speed, 0.001, 1_000);
    }
    check("--requests", requests, 0, 10_000_000);
    check("--longest", longest, 1, 24 * 60);
    for (String policy : policies) {
      named("--policies", policy);
    }
    named("--oracle", oracle);
    if (stdio) {
      return;
    }
    if (simulator == null || traces.isEmpty()) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "say --simulator FILE and a TRACE, or --stdio");
    }
    readable("--simulator", simulator);
    traces.forEach(trace -> readable("TRACE", trace));
  }

  private static void named(String option, String policy) {
    if (!POLICY.matcher(policy).matches()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "%s names '%s', which is no policy's name".formatted(option, policy));
    }
  }

  private static void readable(String what, Path file) {
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, what + " " + file + ": no file that can be read");
    }
  }

  private static Path found() {
    return Simulator.onPath("pypy3", "python3")
        .orElseThrow(() ->
            new CommandFailure(
                ExitCode.BAD_INPUT,
                "neither pypy3 nor python3 is on the PATH: name what runs the simulator with "
                    + "--interpreter"));
  }
}
