package dev.colony.cli.terminal;

import dev.colony.cli.local.OnExit;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar for the stage under way, replaced by its outcome. */
final class BarProgress implements Progress {

  private static final int WIDEST = 72;
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
              .setUpdateIntervalMillis(100)
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
