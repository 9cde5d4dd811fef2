package dev.colony.cli.terminal;

/** Shows a person how far a command is, on standard error. Thread-safe. */
public interface Progress extends AutoCloseable {

  /** So much of a stage is done; {@code total} 0 means that it is not known. */
  void at(String stage, long done, long total);

  /** Ends the stage and leaves a line that says what came of it. */
  void done(String stage, String outcome);

  /** Something to know that belongs to no stage. */
  void note(String line);

  /** Whether a person sees how the stage under way goes, so that it is worth finding out. */
  boolean live();

  /** What happens within the stage under way; empty for nothing. */
  void detail(String text);

  /** What a command writes as its result, as it comes; shown where a person sees it. */
  void text(String more);

  @Override
  void close();

  /** Whether standard error is a terminal. */
  static boolean onTerminal() {
    return Boolean.getBoolean("colony.terminal");
  }

  /** A bar on a terminal, plain lines otherwise. */
  static Progress onStandardError() {
    return onStandardError(false);
  }

  /**
   * The same.
   *
   * @param results whether the result may be shown as it comes, where standard output is a terminal
   *     too
   */
  static Progress onStandardError(boolean results) {
    return onTerminal()
        ? new BarProgress(results && Boolean.getBoolean("colony.terminal.output"))
        : new LineProgress();
  }
}
