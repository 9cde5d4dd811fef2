package dev.colony.bench.command;

import com.typesafe.config.Config;
import dev.colony.bench.board.BoardBenchmark;
import dev.colony.bench.board.BoardFigures;
import dev.colony.bench.board.BoardLoad;
import dev.colony.bench.board.BoardReport;
import dev.colony.bench.board.ReplicaReport;
import dev.colony.blackboard.server.Fsync;
import dev.colony.cli.CommandLog;
import dev.colony.cli.JsonOption;
import dev.colony.cli.RunNames;
import dev.colony.cli.StateOption;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures writes with events per second, and how long events take. */
@Command(
    name = "board",
    mixinStandardHelpOptions = true,
    description = {
      "Writes with events per second, and how long an event takes to its subscriber.",
      "At full load, then at half of it beside plain publish/subscribe; beside them the most that "
          + "the same Redis takes of the same script. Counts in the end that nothing was lost.",
    })
final class BenchBoardCommand implements Callable<Integer> {

  private static final int MOST_OPS = 5_000_000;
  private static final int LEAST_VALUE = 32;
  private static final int MOST_VALUE = 1024 * 1024;
  private static final long MOST_STORED_BYTES = 2L << 30;

  @Option(
      names = "--clients",
      paramLabel = "C",
      defaultValue = "64",
      description = "Each has one write under way (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--ops",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Writes in all, in each phase (default: ${DEFAULT-VALUE}).")
  private int ops;

  @Option(
      names = "--value",
      paramLabel = "BYTES",
      defaultValue = "512",
      description = "Of each write, as JSON (default: ${DEFAULT-VALUE}).")
  private int valueBytes;

  @Option(
      names = "--keys",
      paramLabel = "K",
      defaultValue = "1000",
      description = "Over how many of each scope (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--scopes",
      paramLabel = "S",
      defaultValue = "1",
      description = "Over how many, each with a subscriber (default: ${DEFAULT-VALUE}).")
  private int scopes;

  @Option(
      names = "--fsync",
      defaultValue = "always",
      description = "When Redis syncs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Fsync fsync;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "With replicas of the server, instead: the full load that waits for all of them beside"
              + " that which waits for none (default: ${DEFAULT-VALUE}).")
  private int replicas;

  @ArgGroup(exclusive = false)
  private Sizes figures;

  @Mixin private JsonOption json;

  @Mixin private StateOption stateOption;

  /** All figures, and how large what is measured for them. */
  private static final class Sizes {

    @Option(
        names = "--figures",
        required = true,
        description =
            "Prints all figures of the documentation, under each fsync mode, in Markdown.")
    private boolean wanted;

    @Option(
        names = "--subscribed",
        paramLabel = "SCOPES",
        defaultValue = "10000",
        description = "With --figures: scopes with a subscriber each (default: ${DEFAULT-VALUE}).")
    private int scopes;

    @Option(
        names = "--fill",
        paramLabel = "KEYS",
        defaultValue = "100000",
        description = "With --figures: keys in one scope (default: ${DEFAULT-VALUE}).")
    private int keys;

    @Option(
        names = "--large",
        paramLabel = "BYTES",
        defaultValue = "16777216",
        description = "With --figures: a large value (default: ${DEFAULT-VALUE}).")
    private int valueBytes;
  }

  @Override
  public Integer call() {
    check();
    StateDirectory state = stateOption.open();
    CommandLog.into(state, "bench");
    Path directory = state.root().resolve("bench").resolve(RunNames.next().value());
    Config config = CommandConfig.base(Optional.empty());
    BoardLoad load = new BoardLoad(clients, ops, valueBytes, keys, scopes, fsync);
    boolean whole =
        figures != null
            ? all(directory, config, load)
            : replicas > 0 ? replicated(directory, config, load) : one(directory, config, load);
    BenchCommand.delete(directory);
    if (!whole) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, "writes or events were lost or doubled");
    }
    return ExitCode.OK.status();
  }

  private boolean one(Path directory, Config config, BoardLoad load) {
    BoardReport report = new BoardBenchmark(directory, config).run(load);
    System.out.println(json.given() ? report.toJson() : report.toText());
    return report.whole();
  }

  private boolean replicated(Path directory, Config config, BoardLoad load) {
    ReplicaReport report = new BoardBenchmark(directory, config).run(load, replicas);
    System.out.println(json.given() ? report.toJson() : report.toText());
    return report.whole();
  }

  private boolean all(Path directory, Config config, BoardLoad load) {
    BoardFigures report =
        BoardFigures.measure(
            directory,
            config,
            load,
            new BoardFigures.Sizes(figures.scopes, figures.keys, figures.valueBytes));
    System.out.println(json.given() ? report.toJson() : report.toMarkdown());
    return report.whole();
  }

  private void check() {
    BenchCommand.check("--clients", clients, 1, 10_000);
    BenchCommand.check("--ops", ops, 1, MOST_OPS);
    BenchCommand.check("--value", valueBytes, LEAST_VALUE, MOST_VALUE);
    BenchCommand.check("--keys", keys, 1, 1_000_000);
    BenchCommand.check("--scopes", scopes, 1, 100_000);
    BenchCommand.check("--replicas", replicas, 0, 5);
    long entries = Math.min(ops, (long) keys * scopes);
    if (entries * valueBytes > MOST_STORED_BYTES) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "%,d entries of %,d bytes are more than 2 GiB: take fewer --keys"
              .formatted(entries, valueBytes));
    }
    if (figures != null) {
      BenchCommand.check("--subscribed", figures.scopes, 1, 100_000);
      BenchCommand.check("--fill", figures.keys, 1, 1_000_000);
      BenchCommand.check("--large", figures.valueBytes, LEAST_VALUE, 16 * MOST_VALUE);
    }
  }
}
