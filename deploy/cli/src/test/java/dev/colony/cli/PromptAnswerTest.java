package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who asks does not wait for the end of what was started for the answer. */
class PromptAnswerTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void theAnswerIsPrintedWhileTheClusterStillRuns() {
    AtomicBoolean running = new AtomicBoolean();
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    OutputStream watching =
        new OutputStream() {
          @Override
          public void write(int written) {
            write(new byte[] {(byte) written}, 0, 1);
          }

          /** The log of this JVM comes here, too. */
          @Override
          public void write(byte[] written, int from, int length) {
            printed.write(written, from, length);
            String said = new String(written, from, length, StandardCharsets.UTF_8);
            if (said.contains("{\"runId\":")) {
              running.set(rig.redis().isPresent());
            }
          }
        };
    PrintStream before = System.out;
    System.setOut(new PrintStream(watching, true, StandardCharsets.UTF_8));
    int status;
    try {
      status =
          ColonyCommand.execute(
              "run",
              rig.tree().toString(),
              "--ask",
              Rig.QUESTION,
              "--survey",
              "--json",
              "--config",
              rig.config().toString(),
              "--state",
              rig.state().toString());
    } finally {
      System.setOut(before);
    }
    assertThat(status).isZero();
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("{\"runId\":");
    assertThat(running).as("Redis ran when the answer was printed").isTrue();
    rig.assertNothingRuns();
  }
}
