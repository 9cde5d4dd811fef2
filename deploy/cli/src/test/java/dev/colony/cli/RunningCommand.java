package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import org.awaitility.Awaitility;

/** A command under way: a {@link ColonyProcess}, or one in this JVM. */
public interface RunningCommand extends AutoCloseable {

  /** What it has printed on standard error so far. */
  String err();

  /** What it has printed on standard output so far. */
  String out();

  boolean alive();

  /** Waits for its end. */
  Finished await();

  /** Waits until standard error holds a text. */
  default void awaitErr(String text) {
    Awaitility.await().atMost(ColonyProcess.LONGEST).until(() -> !alive() || err().contains(text));
    assertThat(err()).contains(text);
  }

  /** Ends what is left of it. */
  @Override
  void close();
}
