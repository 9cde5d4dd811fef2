package dev.colony.cli.terminal;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar for the stage under way, replaced by its outcome. */
final class BarProgress implements Progress {

  private static final int WIDTH = 72;
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
    if (writing) {
      return;
    }
    if (bar == null || !stage.equals(newStage)) {
      closeBar();
      stage = newStage;
      bar =
          new ProgressBarBuilder()
              .setTaskName("  " + newStage)
              .setInitialMax(total)
              .setStyle(ProgressBarStyle.UNICODE_BLOCK)
              .setMaxRenderedLength(WIDTH)
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
    System.err.printf("%s  %-9s %s%n", CLEAR_LINE, finished, outcome);
  }

  @Override
  public synchronized void note(String line) {
    closeBar();
    endText();
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
      System.err.print(CLEAR_LINE);
    }
  }
}
