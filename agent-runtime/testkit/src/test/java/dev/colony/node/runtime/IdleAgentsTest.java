package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A hundred thousand agents of three capabilities, recovered from the journal, each having answered
 * one message in its earlier life and another in this one, are in the memory of one node with 1 GiB
 * of heap, and idle. Suspended, they are in no node's.
 */
@Tag("faults")
class IdleAgentsTest {

  private static final int AGENTS = 100_000;
  private static final int MOST_BYTES = 8 * 1024;
  private static final long MOST_OF_SUSPENDED = 20 * 1024 * 1024;
  private static final int CLASSES_LISTED = 25;

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private Process node;

  @AfterEach
  void stop() {
    if (node != null) {
      node.destroyForcibly().onExit().join();
    }
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-XX:+UseCompactObjectHeaders", "-XX:-UseCompactObjectHeaders"})
  @Timeout(1200)
  void eachTakesEightKilobytesAtMost(String headers) throws IOException {
    List<String> said = said(IdleNode.class, headers);
    assertThat(figure("recovered", said)).as("bytes per agent, recovered").isLessThan(MOST_BYTES);
    assertThat(figure("answered", said)).as("bytes per agent, answered").isLessThan(MOST_BYTES);
  }

  /** What a process says until it has come to its end. */
  private List<String> said(Class<?> main, String headers) throws IOException {
    node =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx1g",
                headers,
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                redis.uri(),
                "" + AGENTS,
                "" + CLASSES_LISTED)
            .redirectErrorStream(true)
            .start();
    List<String> said = new ArrayList<>();
    try (BufferedReader lines = node.inputReader()) {
      lines.lines().forEach(said::add);
    }
    System.out.println(headers + "\n" + String.join("\n", said));
    assertThat(said).as("it has come to its end").endsWith("done");
    return said;
  }

  /** All of them are in the index that has them go on, which is not in memory. */
  @Test
  @Timeout(1200)
  void thoseThatAreSuspendedTakeNothing() throws IOException {
    List<String> said = said(SuspendedNode.class, "-XX:-UseCompactObjectHeaders");
    assertThat(figure("suspended", said)).as("bytes of all").isLessThan(MOST_OF_SUSPENDED);
  }

  private static long figure(String name, List<String> said) {
    return said.stream()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }
}
