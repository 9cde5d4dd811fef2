package dev.colony.cli.terminal;

/** One plain line at the end of each stage. */
public final class LineProgress implements Progress {

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

  @Override
  public boolean live() {
    return false;
  }

  @Override
  public void detail(String text) {
    // as for the bar
  }

  @Override
  public void text(String more) {
    // a log has the result when it is whole
  }

  @Override
  public void close() {
    // nothing is open
  }
}
