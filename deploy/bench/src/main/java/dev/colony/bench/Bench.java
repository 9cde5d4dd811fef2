package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.CommandLog;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.RunNames;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A bench as a command: checks its options, measures, prints what it found, and deletes what it has
 * kept; where what it found is not whole, the data and the logs stay.
 */
public abstract class Bench implements Callable<Integer> {

  /**
   * The field of a report that says whether all is as it has to be; absent where nothing can be
   * otherwise.
   */
  protected static final String WHOLE = "whole";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "HOCON whose keys override the defaults of the reference.conf files.")
  private Path config;

  @Mixin private JsonOption json;

  @Mixin private StateOption state;

  /**
   * Refuses options that cannot be.
   *
   * @throws CommandFailure in one line
   */
  protected abstract void check();

  /**
   * Measures. Blocks.
   *
   * @param directory for data and logs, which does not exist
   * @return the figures, in the order in which they are shown
   */
  protected abstract ObjectNode measure(Path directory, Progress progress) throws IOException;

  /** What is said where what was found is not whole. */
  protected String broken() {
    return "what was found is not whole";
  }

  protected Path directory(Path benches) {
    return benches.resolve(RunNames.next().value());
  }

  @Override
  public Integer call() throws IOException {
    check();
    configFile();
    StateDirectory opened = state.open();
    CommandLog.into(opened, "bench");
    Path directory = directory(opened.root().resolve("bench"));
    ObjectNode found;
    try (Progress progress = Progress.onStandardError()) {
      found = measure(directory, progress);
    }
    System.out.println(json.given() ? found.toString() : Report.text(found));
    if (!found.path(WHOLE).asBoolean(true)) {
      throw CommandFailure.unsuccessful(broken() + "; data and logs are kept in " + directory);
    }
    delete(directory);
    return ExitCode.OK.status();
  }

  /**
   * The file of settings, if one is given.
   *
   * @throws CommandFailure if it cannot be read
   */
  protected final Optional<Path> configFile() {
    if (config != null && !Files.isReadable(config)) {
      throw CommandFailure.badInput("--config " + config + ": cannot be read");
    }
    return Optional.ofNullable(config);
  }

  protected final Config config() {
    return CommandConfig.base(configFile());
  }

  public static void check(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw CommandFailure.badInput(
          "%s is %d, but must be %d to %d".formatted(option, value, least, most));
    }
  }

  /** Refuses another number out of its range, or none at all. */
  public static void check(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw CommandFailure.badInput(
          "%s is %s, but must be %s to %s".formatted(option, value, least, most));
    }
  }

  /** Deletes what a bench that is done with it has kept, if anything. */
  public static void delete(Path directory) {
    if (Files.notExists(directory)) {
      return;
    }
    try {
      StateFolder.deleteTree(directory);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot delete " + directory, failure);
    }
  }
}
