package dev.colony.bench.command;

import dev.colony.bench.engine.EngineReplay.Arrivals;
import dev.colony.bench.engine.EngineReplay.Engines;
import dev.colony.bench.engine.EngineReport;
import dev.colony.bench.engine.Recording;
import dev.colony.cli.JsonOption;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.replica.kv.Scheduler.Limits;
import dev.colony.replica.kv.TimeModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Holds the engine of the embedded replica to a simulator of such engines. */
@Command(
    name = "engine",
    mixinStandardHelpOptions = true,
    description = {
      "What the engine of the embedded replica makes of recorded requests, beside what a simulator"
          + " made of the same decisions: the share of blocks that was cached, and times to the"
          + " first token.",
      "TRACE has JSON lines with timestamp, input_length, output_length and hash_ids, and may have"
          + " session_id, deps and think_ms. FILE has a line for each: i, replica, arrive,"
          + " hit_blocks and ttft, and may have not_before, after, drop and drop_after. No time"
          + " passes: the engine's clock is a number.",
    })
final class BenchEngineCommand implements Callable<Integer> {

  @Parameters(paramLabel = "TRACE", description = "The requests; .gz is read compressed.")
  private Path trace;

  @Option(
      names = "--decisions",
      paramLabel = "FILE",
      required = true,
      description = "What was decided of each, and what came of it.")
  private Path decisions;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      defaultValue = "8",
      description = "Engines (default: ${DEFAULT-VALUE}).")
  private int replicas;

  @Option(
      names = "--blocks",
      paramLabel = "N",
      defaultValue = "850",
      description = "Blocks of each cache (default: ${DEFAULT-VALUE}).")
  private int blocks;

  @Option(
      names = "--block-tokens",
      paramLabel = "N",
      defaultValue = "512",
      description = "Tokens of a block of the trace (default: ${DEFAULT-VALUE}).")
  private int blockTokens;

  @Option(
      names = "--max-running",
      paramLabel = "N",
      defaultValue = "256",
      description = "Requests that run at once (default: ${DEFAULT-VALUE}).")
  private int maxRunning;

  @Option(
      names = "--max-batched-tokens",
      paramLabel = "N",
      defaultValue = "2048",
      description = "Tokens of a step, weighed by attention (default: ${DEFAULT-VALUE}).")
  private int maxBatchedTokens;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "0",
      description = "Requests that are read; 0 for all (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--speed",
      paramLabel = "X",
      defaultValue = "1",
      description = "By which the recorded arrivals come faster (default: ${DEFAULT-VALUE}).")
  private double speed;

  @Option(
      names = "--arrivals",
      paramLabel = "WHEN",
      defaultValue = "recorded",
      description =
          "When requests arrive that follow others: when they did (recorded), or after these have "
              + "ended here (following); ${DEFAULT-VALUE}.")
  private Arrivals arrivals;

  @Mixin private JsonOption json;

  @Override
  public Integer call() {
    BenchCommand.check("--replicas", replicas, 1, 1_000);
    BenchCommand.check("--blocks", blocks, 1, 1 << 24);
    BenchCommand.check("--block-tokens", blockTokens, 1, 1 << 16);
    BenchCommand.check("--max-running", maxRunning, 1, 4_096);
    BenchCommand.check("--max-batched-tokens", maxBatchedTokens, maxRunning, 1 << 24);
    BenchCommand.check("--limit", limit, 0, Integer.MAX_VALUE);
    if (!(speed > 0 && speed <= 1_000)) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "--speed is %s, but must be above 0 to 1000".formatted(speed));
    }
    TimeModel time = TimeModel.LLAMA_70B_2XH100;
    Limits limits =
        new Limits(blockTokens, maxRunning, maxBatchedTokens, time.attentionTokens(), true);
    try {
      EngineReport report =
          EngineReport.of(
              Recording.read(trace, decisions, limit, speed),
              new Engines(replicas, blocks, limits, time),
              arrivals);
      System.out.println(json.given() ? report.toJson() : report.toText());
      return ExitCode.OK.status();
    } catch (IOException unreadable) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "cannot be read: " + unreadable.getMessage(), unreadable);
    } catch (IllegalArgumentException | IllegalStateException bad) {
      throw new CommandFailure(ExitCode.BAD_INPUT, bad.getMessage(), bad);
    }
  }
}
