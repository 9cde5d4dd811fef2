package dev.colony.bench.command;

import dev.colony.bench.mapping.MappingBenchmark;
import dev.colony.bench.mapping.MappingReport;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.settings.CommandConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures how fast a tree is mapped. */
@Command(
    name = "map",
    mixinStandardHelpOptions = true,
    description = {
      "How fast a source tree is mapped to pages, and mapped again after one file has changed.",
      "The tree is copied first, below the state directory, since files are changed.",
    })
final class BenchMapCommand implements Callable<Integer> {

  @Parameters(paramLabel = "PATH", description = "The source tree.")
  private Path tree;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Mappings of the whole tree; the first also warms up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--changes",
      paramLabel = "N",
      defaultValue = "20",
      description = "Of one file each (default: ${DEFAULT-VALUE}).")
  private int changes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of which files are changed (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--rounds", rounds, 1, 1_000);
    BenchCommand.check("--changes", changes, 1, 10_000);
    if (!Files.isDirectory(tree)) {
      throw new CommandFailure(ExitCode.BAD_INPUT, tree + ": no such directory");
    }
    Path directory = options.directory();
    try {
      Files.createDirectories(directory);
      MappingReport report =
          new MappingBenchmark(CommandConfig.base(options.config()))
              .run(tree, directory, rounds, changes, seed);
      System.out.println(options.json() ? report.toJson() : report.toText());
      return ExitCode.OK.status();
    } catch (IllegalArgumentException refused) {
      throw new CommandFailure(ExitCode.BAD_INPUT, refused.getMessage());
    } catch (IOException failure) {
      throw new UncheckedIOException(tree + ": cannot be copied", failure);
    } finally {
      BenchCommand.delete(directory);
    }
  }
}
