package dev.colony.bench.command;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.bench.query.QueryBenchmark;
import dev.colony.bench.query.QueryLoad;
import dev.colony.bench.query.QueryReport;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.settings.SourceSettings;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures how many pages a question is put to. */
@Command(
    name = "query",
    mixinStandardHelpOptions = true,
    description = {
      "How many pages a question is put to while the page graph of a source tree settles, and what "
          + "share of all answers is found.",
      "Questions are names that stand on two to four pages, asked from one of them; those that are "
          + "measured are kept apart from those that the graph learns from.",
    })
final class BenchQueryCommand implements Callable<Integer> {

  @Parameters(paramLabel = "PATH", description = "The source tree.")
  private Path tree;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "8",
      description = "In which the graph learns (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--questions",
      paramLabel = "N",
      defaultValue = "250",
      description = "Of each round (default: ${DEFAULT-VALUE}).")
  private int questions;

  @Option(
      names = "--kept",
      paramLabel = "N",
      defaultValue = "200",
      description = "Questions that are kept apart (default: ${DEFAULT-VALUE}).")
  private int kept;

  @Option(
      names = "--page-tokens",
      paramLabel = "N",
      defaultValue = "2048",
      description = "Size of a page (default: ${DEFAULT-VALUE}).")
  private int pageTokens;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of what is drawn (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--reading",
      description = {
        "Also measure what the graph is worth to a cache: where prompts of several pages have these"
            + " in one order or another, and where pages are loaded ahead.",
      })
  private boolean reading;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--rounds", rounds, 1, 1_000);
    BenchCommand.check("--questions", questions, 1, 100_000);
    BenchCommand.check("--kept", kept, 1, 100_000);
    BenchCommand.check("--page-tokens", pageTokens, 128, 1 << 20);
    Config config =
        ConfigFactory.parseString("colony.vcm.grouping.page-size-tokens = " + pageTokens)
            .withFallback(CommandConfig.base(options.config()));
    try (Progress progress = Progress.onStandardError()) {
      MappingResult.Mapped mapped = new Mapper(config).map(tree, progress);
      QueryReport report =
          new QueryBenchmark(
                  mapped.pages(), config, new QueryLoad(rounds, questions, kept, seed, reading))
              .run(SourceSettings.fromConfig(config).threads());
      System.out.println(options.json() ? report.toJson() : report.toText());
      return ExitCode.OK.status();
    } catch (IllegalArgumentException tooSmall) {
      throw new CommandFailure(ExitCode.BAD_INPUT, tree + ": " + tooSmall.getMessage());
    }
  }
}
