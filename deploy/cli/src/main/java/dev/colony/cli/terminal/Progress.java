package dev.colony.cli.terminal;

import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows a person how far a command is, on standard error. Thread-safe. */
public interface Progress extends AutoCloseable {

  /** So much of a stage is done; {@code total} 0 means that it is not known. */
  void at(String stage, long done, long total);

  /** Ends the stage and leaves a line that says what came of it. */
  void done(String stage, String outcome);

  /** Something to know that belongs to no stage. */
  void note(String line);

  /** Whether a person sees how the stage under way goes, so that it is worth finding out. */
  default boolean live() {
    return false;
  }

  /** What happens within the stage under way; empty for nothing. */
  default void detail(String text) {}

  /** What a command writes as its result, as it comes; shown where a person sees it. */
  default void text(String more) {}

  @Override
  default void close() {}

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

  /** A bar for the stage under way, replaced by its outcome. */
  static final class BarProgress implements Progress {

    private static final int WIDEST = 72;
    private static final int REDRAWN_MILLIS = 250;
    private static final String CLEAR_LINE = "\r\u001b[2K";

    private final boolean results;
    private ProgressBar bar;
    private boolean writing;
    private String stage = "";

    /**
     * @param results whether standard output is a terminal that results are shown on as they come
     */
    BarProgress(boolean results) {
      this.results = results;
    }

    @Override
    public synchronized void at(String newStage, long done, long total) {
      if (writing || OnExit.begun()) {
        return;
      }
      if (bar == null || !stage.equals(newStage) || total < bar.getMax()) {
        closeBar();
        stage = newStage;
        bar =
            new ProgressBarBuilder()
                .setTaskName("  " + newStage)
                .setInitialMax(total)
                .setStyle(ProgressBarStyle.UNICODE_BLOCK)
                .setConsumer(new Line())
                .setUpdateIntervalMillis(REDRAWN_MILLIS)
                // or a step that is taken while the bar is drawn waits for the next one
                .continuousUpdate()
                .clearDisplayOnFinish()
                .build();
      }
      bar.maxHint(Math.max(total, done));
      if (done > bar.getCurrent()) {
        bar.stepTo(done);
      }
    }

    @Override
    public synchronized void done(String finished, String outcome) {
      closeBar();
      endText();
      if (OnExit.begun()) {
        return;
      }
      System.err.printf("%s  %-9s %s%n", CLEAR_LINE, finished, outcome);
    }

    @Override
    public synchronized void note(String line) {
      closeBar();
      endText();
      if (OnExit.begun()) {
        return;
      }
      System.err.println(CLEAR_LINE + "colony: " + line);
    }

    @Override
    public boolean live() {
      return true;
    }

    @Override
    public synchronized void detail(String text) {
      if (bar != null) {
        bar.setExtraMessage(text.isEmpty() ? "" : " " + text);
      }
    }

    @Override
    public synchronized void text(String more) {
      if (results) {
        closeBar();
        writing = true;
        System.out.print(more);
        System.out.flush();
      }
    }

    @Override
    public synchronized void close() {
      closeBar();
      endText();
    }

    private void endText() {
      if (writing) {
        writing = false;
        System.out.println();
      }
    }

    private void closeBar() {
      if (bar != null) {
        bar.close();
        bar = null;
        if (!OnExit.begun()) {
          System.err.print(CLEAR_LINE);
        }
      }
    }

    /** The terminal's width, as the launcher gives it, less one column: a full line would wrap. */
    private static int width() {
      int columns = Integer.getInteger("colony.terminal.columns", 0);
      return columns > 0 ? Math.min(WIDEST, columns - 1) : WIDEST;
    }

    /**
     * The line on standard error that a bar stands on, until the process ends. A terminal that the
     * library opens for itself has the system handle Ctrl-C, which ends the JVM without its hooks.
     */
    private static final class Line extends ConsoleProgressBarConsumer {

      Line() {
        super(System.err, width());
      }

      @Override
      public void accept(String rendered) {
        if (!OnExit.begun()) {
          super.accept(rendered);
        }
      }

      @Override
      public void close() {
        // who closes the bar clears its line
      }
    }
  }

  /** One plain line at the end of each stage. */
  public static final class LineProgress implements Progress {

    @Override
    public void at(String stage, long done, long total) {
      // a log is not a place to watch a bar move
    }

    @Override
    public void done(String stage, String outcome) {
      System.err.println(stage + ": " + outcome);
    }

    @Override
    public void note(String line) {
      System.err.println("colony: " + line);
    }
  }
}
