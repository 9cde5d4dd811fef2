package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The process is killed in the middle, twice; a new one goes on with the same agents. */
@Tag("faults")
class KilledProcessTest {

  private static final int AGENTS = 50;
  private static final int STEPS = 400;

  @TempDir Path directory;
  private RedisServerProcess redis;
  private Process node;

  @AfterEach
  void stop() {
    if (node != null) {
      node.destroyForcibly();
    }
    if (redis != null) {
      redis.stop();
    }
  }

  @Test
  @Timeout(240)
  void noStepIsLostOrDoubled() throws IOException {
    redis = RedisServerProcess.ensure(ServerSettings.in(directory).withFsync(Fsync.EVERYSEC));
    runUntil(line -> stepsOf(line) > AGENTS * STEPS / 5);
    kill();
    runUntil(line -> stepsOf(line) > AGENTS * STEPS / 5);
    kill();
    String[] report = runUntil(line -> line.startsWith("report ")).split(" ");
    assertThat(report[1]).as("completed runs").isEqualTo("" + AGENTS);
    assertThat(report[2]).as("steps in the results").isEqualTo("" + AGENTS * STEPS);
    assertThat(report[3]).as("steps noted once and in order").isEqualTo("" + AGENTS * STEPS);
    assertThat(Long.parseLong(report[4]))
        .as("steps of the last process, with one of each agent that a kill cut off")
        .isLessThan(AGENTS * STEPS * 3L / 5 + 2 * AGENTS);
  }

  private String runUntil(Predicate<String> wanted) throws IOException {
    node =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                BenchNode.class.getName(),
                redis.uri(),
                "killed",
                "" + AGENTS,
                "" + STEPS,
                "256",
                "0")
            .redirectErrorStream(true)
            .start();
    BufferedReader said = node.inputReader();
    StringBuilder all = new StringBuilder();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (wanted.test(line)) {
        return line;
      }
      all.append(line).append('\n');
    }
    throw new AssertionError("the process ended early and said:\n" + all);
  }

  private void kill() {
    node.destroyForcibly().onExit().join();
  }

  private static long stepsOf(String line) {
    return line.startsWith("steps ") ? Long.parseLong(line.substring(6)) : -1;
  }
}
