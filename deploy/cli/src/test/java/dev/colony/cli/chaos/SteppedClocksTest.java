package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The wall clocks of each node, of Redis and of the client are set an hour ahead and behind under
 * load, and nodes that are ten minutes apart take over from each other: no run fails for its
 * deadline, no wait is cut short or missed, nothing is paid twice. {@code -Dclocks.seed=N} repeats
 * an order.
 */
@Tag("faults")
class SteppedClocksTest {

  private static final long LONGEST_MINUTES = 15;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void noRunFailsNoWaitIsMissedAndNothingIsDoneTwice() throws IOException, InterruptedException {
    assumeTrue(
        SteppedClock.possible(), "left out: there is no C compiler (cc) to make the clock shim");
    long seed = Long.getLong("clocks.seed", System.nanoTime());
    System.out.println("clocks.seed=" + seed);
    Path output = folder.resolve("output");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
    command.add(ClockHavoc.class.getName());
    command.add(Files.createDirectories(folder.resolve("cluster")).toString());
    command.add(Long.toString(seed));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(SteppedClock.environment(folder));
    Process havoc = builder.start();
    try {
      assertThat(havoc.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)).as("it ends").isTrue();
      System.out.println(Files.readString(output));
      assertThat(havoc.exitValue()).as(Files.readString(output)).isZero();
    } finally {
      havoc.destroy();
    }
  }
}
