package dev.colony.cli.terminal;

/** Shows a person how far a command is, on standard error. Thread-safe. */
public interface Progress extends AutoCloseable {

  /** So much of a stage is done; {@code total} 0 means that it is not known. */
  void at(String stage, long done, long total);

  /** Ends the stage and leaves a line that says what came of it. */
  void done(String stage, String outcome);

  /** Something to know that belongs to no stage. */
  void note(String line);

  @Override
  void close();

  /** A bar on a terminal, plain lines otherwise. */
  static Progress onStandardError() {
    return Boolean.getBoolean("colony.terminal") ? new BarProgress() : new LineProgress();
  }
}
