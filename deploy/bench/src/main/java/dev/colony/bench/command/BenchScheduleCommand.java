package dev.colony.bench.command;

import dev.colony.bench.schedule.ScheduleBenchmark;
import dev.colony.bench.schedule.ScheduleLoad;
import dev.colony.bench.schedule.ScheduleReport;
import dev.colony.cli.CommandLog;
import dev.colony.cli.JsonOption;
import dev.colony.cli.RunNames;
import dev.colony.cli.StateOption;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.Progress;
import dev.colony.vcm.schedule.workingset.EvictionControl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Holds the scheduler against published policies in a simulator. */
@Command(
    name = "schedule",
    mixinStandardHelpOptions = true,
    description = {
      "The scheduler beside published policies and an oracle, on traces of requests in a simulator"
          + " of replicas; the load grows with the replicas.",
      "Each declaration is run with each bound; the first of them also with each other control of "
          + "evictions, and with --stale and --lose where one is above 0. The same options always "
          + "give the same figures, in Markdown or with --json.",
    })
final class BenchScheduleCommand implements Callable<Integer> {

  private static final Pattern POLICY = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  @Parameters(
      paramLabel = "TRACE",
      arity = "1..*",
      description = "Requests, one JSON object a line, .gz or not, as docs/scheduling.md says.")
  private List<Path> traces;

  @Option(
      names = "--simulator",
      required = true,
      paramLabel = "FILE",
      description = "The simulator: a program that takes the options named in docs/scheduling.md.")
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
      names = "--resample",
      paramLabel = "SEED",
      description = "Also on a trace that is drawn from each by that seed.")
  private Long resample;

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

  @Mixin private JsonOption json;

  @Mixin private StateOption state;

  @Override
  public Integer call() throws IOException {
    check();
    Path program = interpreter == null ? found() : interpreter;
    readable("--simulator", simulator);
    traces.forEach(trace -> readable("TRACE", trace));
    StateDirectory opened = state.open();
    CommandLog.into(opened, "bench");
    Path directory = opened.root().resolve("bench").resolve(RunNames.next().value());
    Files.createDirectories(directory);
    try (Progress progress = Progress.onStandardError()) {
      ScheduleReport report =
          new ScheduleBenchmark(program, simulator, Duration.ofMinutes(longest), directory, load())
              .run(traces, progress);
      System.out.println(json.given() ? report.toJson() : report.toMarkdown());
      return ExitCode.OK.status();
    } catch (IllegalArgumentException unusable) {
      throw new CommandFailure(ExitCode.BAD_INPUT, unusable.getMessage(), unusable);
    } catch (UncheckedIOException failed) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, failed.getMessage() + ": " + failed.getCause().getMessage(), failed);
    } finally {
      BenchCommand.delete(directory);
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
        resample == null ? OptionalLong.empty() : OptionalLong.of(resample),
        requests);
  }

  private void check() {
    replicas.forEach(count -> BenchCommand.check("--replicas", count, 1, 1024));
    cacheBlocks.forEach(count -> BenchCommand.check("--cache", count, 1, 1_000_000));
    bounds.forEach(seconds -> within("--bound", seconds, 1, 1_000_000));
    within("--stale", stale, 0, 3_600);
    within("--lose", lose, 0, 1);
    if (speed != null) {
      within("--speed", speed, 0.001, 1_000);
    }
    BenchCommand.check("--requests", requests, 0, 10_000_000);
    BenchCommand.check("--longest", longest, 1, 24 * 60);
    for (String policy : policies) {
      named("--policies", policy);
    }
    named("--oracle", oracle);
  }

  private static void within(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "%s is %s, but must be %s to %s".formatted(option, value, least, most));
    }
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
    return ScheduleBenchmark.onPath("pypy3", "python3")
        .orElseThrow(() ->
            new CommandFailure(
                ExitCode.BAD_INPUT,
                "neither pypy3 nor python3 is on the PATH: name what runs the simulator with "
                    + "--interpreter"));
  }
}
