package dev.colony.bench.command;

import dev.colony.bench.answers.AnswersBenchmark;
import dev.colony.bench.answers.AnswersReport;
import dev.colony.bench.answers.KeyedQuestion;
import dev.colony.bench.answers.ReaderManner;
import dev.colony.cli.ModelCheck;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures whether questions about source trees find the right place. */
@Command(
    name = "answers",
    mixinStandardHelpOptions = true,
    description = {
      "Whether questions about source trees, asked as 'colony run' asks them, find the right files "
          + "and lines, stage by stage; beside it BM25 over whole files and a count of words.",
      "QUESTIONS has a JSON object a line: id, corpus (group:artifact:version, whose sources jar is"
          + " the tree), question, files and lines (regular expressions for what is right), kind.",
    })
final class BenchAnswersCommand implements Callable<Integer> {

  @Parameters(paramLabel = "QUESTIONS", description = "The file with the questions.")
  private Path questions;

  @Option(
      names = "--cache",
      paramLabel = "DIR",
      description = {
        "Where the trees are: DIR/ARTIFACT-VERSION, else unpacked to there from",
        "DIR/jars/ARTIFACT-VERSION-sources.jar, which Maven fetches if it is not there",
        "(default: ${DEFAULT-VALUE}).",
      })
  private Path cache = StateDirectory.usual().resolve("corpora");

  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description = "An OpenAI-compatible server (default: the embedded replica).")
  private String modelUrl;

  @Option(
      names = "--reader",
      paramLabel = "MANNER",
      description = {
        "In place of a model, one that knows the key and answers over HTTP: competent,",
        "sloppy (wrong numbers, shortened paths, joined lines, slips) or inventing.",
      })
  private String reader;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() {
    List<KeyedQuestion> read = read();
    Optional<Path> config = options.config();
    Optional<URI> server = ModelCheck.url(modelUrl);
    Optional<ReaderManner> manner = manner();
    if (manner.isPresent() && server.isPresent()) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "give --reader or --model-url, not both");
    }
    Path directory = options.directory();
    AnswersReport report;
    try (Progress progress = Progress.onStandardError()) {
      ModelCheck.asked(server, CommandConfig.base(config), "--model-url:", progress::note);
      report = new AnswersBenchmark(directory, config, server, manner, cache, progress).run(read);
    }
    System.out.println(options.json() ? report.toJson() : report.toText());
    BenchCommand.delete(directory);
    return (report.failed() == 0 ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }

  private Optional<ReaderManner> manner() {
    try {
      return Optional.ofNullable(reader).map(ReaderManner::of);
    } catch (IllegalArgumentException bad) {
      throw new CommandFailure(ExitCode.BAD_INPUT, "--reader: " + bad.getMessage());
    }
  }

  private List<KeyedQuestion> read() {
    try {
      return KeyedQuestion.read(questions);
    } catch (IllegalArgumentException bad) {
      throw new CommandFailure(ExitCode.BAD_INPUT, bad.getMessage());
    }
  }
}
