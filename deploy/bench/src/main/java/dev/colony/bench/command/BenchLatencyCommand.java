package dev.colony.bench.command;

import dev.colony.bench.answers.LatencyBenchmark;
import dev.colony.bench.answers.LatencyReport;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures how long a person waits for an answer while a cluster is up. */
@Command(
    name = "latency",
    mixinStandardHelpOptions = true,
    description = {
      "How long questions about a source tree take while a cluster is up, stage by stage: each is a"
          + " command of its own, from the start of its JVM to the first token and to the end.",
      "Brings the cluster up in a directory of its own, and takes it down.",
    })
final class BenchLatencyCommand implements Callable<Integer> {

  private static final List<String> USUAL =
      List.of(
          "Where is it decided which thread does the work?",
          "How is a connection closed when nothing comes for a while?",
          "Which class decides when segments are merged?");

  @Parameters(
      arity = "0..1",
      paramLabel = "TREE",
      description = "The directory; or --corpus, once or more often.")
  private Optional<Path> tree = Optional.empty();

  @Option(
      names = "--corpus",
      paramLabel = "G:A:V",
      description = "A sources jar; the trees of all of them are joined.")
  private List<String> corpora = List.of();

  @Option(
      names = "--cache",
      paramLabel = "DIR",
      description = "Where sources are unpacked, see bench answers (default: ${DEFAULT-VALUE}).")
  private Path cache = StateDirectory.usual().resolve("corpora");

  @Option(
      names = "--ask",
      paramLabel = "QUESTION",
      description = "In their order; the first maps the tree (default: three of sources in Java).")
  private List<String> questions = USUAL;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of the cluster (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    BenchCommand.check("--nodes", nodes, 1, 16);
    if (tree.isPresent() != corpora.isEmpty()) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "give a TREE, or --corpus once or more often");
    }
    if (tree.isPresent() && !Files.isDirectory(tree.get())) {
      throw new CommandFailure(ExitCode.BAD_INPUT, tree.get() + ": no such directory");
    }
    Path directory = options.directory();
    LatencyReport report;
    try {
      report = measured(directory);
    } finally {
      BenchCommand.delete(directory);
    }
    System.out.println(options.json() ? report.toJson() : report.toText());
    return (report.failed() == 0 ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }

  private LatencyReport measured(Path directory) {
    try (Progress progress = Progress.onStandardError()) {
      LatencyBenchmark benchmark = new LatencyBenchmark(directory, options.config(), progress);
      Path asked = tree.isPresent() ? tree.get() : benchmark.join(corpora, cache);
      return benchmark.run(asked, questions, nodes);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot be measured", failure);
    }
  }
}
