package dev.colony.journal;

import static dev.colony.blackboard.payload.PayloadRig.LARGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.payload.PayloadStore;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadSweep;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.server.TestRedis;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process dies between a payload and the append that refers to it. */
class CrashedWriterTest {

  private static final int DEAD = 42;

  private final String id = "agent-" + UUID.randomUUID();
  @TempDir private Path folder;

  /** Appends to a log until it dies behind a put. */
  static final class Writer {

    private Writer() {}

    /**
     * @param args URI of Redis, the folder, the persistence id, and behind how many puts it dies
     */
    public static void main(String[] args) {
      int[] left = {Integer.parseInt(args[3])};
      PayloadStore store = store(args[1]);
      PayloadStore mortal =
          (PayloadStore)
              Proxy.newProxyInstance(
                  PayloadStore.class.getClassLoader(),
                  new Class<?>[] {PayloadStore.class},
                  (proxy, method, arguments) -> {
                    Object answer = method.invoke(store, arguments);
                    if (method.getName().equals("put") && --left[0] == 0) {
                      Runtime.getRuntime().halt(DEAD);
                    }
                    return answer;
                  });
      TestLog log = new TestLog(args[0], vault(mortal));
      for (long number = log.highest(args[2]) + 1; ; number++) {
        log.append(args[2], number, "of " + ProcessHandle.current().pid(), LARGE + number);
        System.out.println("acknowledged " + number);
      }
    }
  }

  @Test
  @Timeout(120)
  void nothingIsLostAndWhatIsLeftOverGoes() throws Exception {
    int deaths = 3;
    int puts = 4;
    List<String> acknowledged = new ArrayList<>();
    for (int death = 0; death < deaths; death++) {
      acknowledged.addAll(runUntilItDies(puts));
    }
    int all = deaths * (puts - 1);
    assertThat(acknowledged).hasSize(all).endsWith("acknowledged " + all);
    assertThat(files()).as("with what no append refers to").isEqualTo(deaths * puts);
    try (TestLog log = new TestLog(TestRedis.shared().uri(), vault(store(folder.toString())))) {
      assertThat(log.replay(id)).hasSize(all).endsWith(all + "=" + LARGE + all);
      PayloadSweep sweep = log.sweep(PayloadSweep.PAGE);
      sweep.sweep(Optional.empty(), Instant.EPOCH);
      assertThat(sweep.sweep(Optional.empty(), Instant.EPOCH.plus(PayloadVault.KEPT)).removed())
          .isEqualTo(deaths);
      assertThat(files()).isEqualTo(all);
      assertThat(log.replay(id)).hasSize(all);
    }
  }

  private long files() throws Exception {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).count();
    }
  }

  /** What it says before. */
  private List<String> runUntilItDies(int puts) throws Exception {
    Process writer =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                TestRedis.shared().uri(),
                folder.toString(),
                id,
                Integer.toString(puts))
            .redirectErrorStream(true)
            .start();
    try {
      List<String> said = writer.inputReader().lines().toList();
      assertThat(writer.waitFor()).as("%s", said).isEqualTo(DEAD);
      return said.stream().filter(line -> line.startsWith("acknowledged")).toList();
    } finally {
      writer.destroyForcibly();
    }
  }

  private static PayloadStore store(String folder) {
    return PayloadStore.open(new PayloadSettings("file:" + folder, "", "r")).orElseThrow();
  }

  private static PayloadVault vault(PayloadStore store) {
    return new PayloadVault(Optional.of(store), "v", Duration.ofSeconds(20));
  }
}
