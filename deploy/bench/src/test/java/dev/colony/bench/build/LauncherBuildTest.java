package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the launcher builds, and what is there while it does and when it fails. */
class LauncherBuildTest {

  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** Builds by copying, says what it did, and waits where it is told to. */
  private static final String MVN =
      """
      #!/usr/bin/env bash
      echo built >> "$TREE/builds"
      out=$TREE/deploy/cli/target/colony
      for one in "$@"; do
        case $one in -Dcolony.distribution=*) out=${one#*=} ;; esac
      done
      mkdir -p "$out/lib"
      echo "[INFO] Building blackboard 1     [1/3]"
      [ ! -e "$TREE/slow" ] || sleep 1000
      [ ! -e "$TREE/wrong" ] || { echo "[ERROR] it does not compile"; exit 1; }
      while [ -e "$TREE/held" ]; do sleep 0.05; done
      cp "$TREE/deploy/cli/src/main/A.java" "$out/lib/cli.jar"
      """;

  /** Makes a cache in two steps, as the JVM does, and else says what it is started from. */
  private static final String JAVA =
      """
      #!/usr/bin/env bash
      [ ! -e "$TREE/tell-locale" ] || exec echo "${LC_ALL:-}"
      for one in "$@"; do
        case $one in
          -XX:AOTCacheOutput=*)
            echo half > "${one#*=}"
            [ ! -e "$TREE/slow-cache" ] || sleep 1000
            echo whole > "${one#*=}"
            exit ;;
          -XX:AOTCache=*) cat "${one#*=}" ;;
        esac
      done
      cat "$TREE/deploy/cli/target/colony/lib/cli.jar"
      """;

  private static final List<String> TOOLS =
      List.of(
          "bash env dirname readlink find sort tr xargs sha256sum cat touch mkdir rm mv cp ln sed tail grep sleep"
              .split(" "));

  @TempDir private Path tree;

  private final List<Process> started = new ArrayList<>();

  private record Ended(int status, String out, String err) {}

  @BeforeEach
  void write() throws IOException {
    Files.copy(ProjectRoot.find().resolve("colony"), tree.resolve("colony"));
    Files.writeString(tree.resolve("pom.xml"), "<project/>");
    source("one");
    script("bin/mvn", MVN);
    script("jdk/bin/java", JAVA);
    Files.writeString(tree.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
  }

  @AfterEach
  void stop() {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void buildsOnceAndAgainWhereContentHasChanged() throws Exception {
    Ended first = colony("run");
    assertThat(first.status()).as(first.err()).isZero();
    assertThat(first.out()).isEqualTo("whole\none\n");
    assertThat(first.err()).contains("building (once; about 5 minutes on two cores");
    assertThat(colony("run").err()).isEmpty();
    Files.setLastModifiedTime(
        tree.resolve("deploy/cli/src/main/A.java"),
        FileTime.fromMillis(System.currentTimeMillis() + 60_000));
    assertThat(colony("run").err()).isEmpty();
    assertThat(builds()).isEqualTo(1);

    source("two");
    Ended again = colony("run");
    assertThat(again.out()).isEqualTo("whole\ntwo\n");
    assertThat(again.err()).contains("the sources have changed");
    assertThat(builds()).isEqualTo(2);
  }

  @Test
  void oneThatOnlyAsksIsNeverBuiltFor() throws Exception {
    List<String> commands = List.of("down", "status", "agents", "runs", "--help", "pages maps");
    for (String command : commands) {
      Ended none = colony(command.split(" "));
      assertThat(none.status()).as(command).isEqualTo(70);
      assertThat(none.err()).as(command).contains("nothing is built yet");
    }
    assertThat(builds()).isZero();
    colony("run");
    source("two");
    for (String command : commands) {
      Ended asked = colony(command.split(" "));
      assertThat(asked.out()).as(command).isEqualTo("whole\none\n");
      assertThat(asked.err()).as(command).isEmpty();
    }
    assertThat(builds()).isEqualTo(1);
  }

  @Test
  void whatIsThereStaysWhereABuildFails() throws Exception {
    colony("run");
    source("two");
    Files.createFile(tree.resolve("wrong"));
    Ended failed = colony("run");
    assertThat(failed.status()).isEqualTo(70);
    assertThat(failed.err())
        .contains("it does not compile", "what was built before is kept", "the build failed");
    assertThat(failed.out()).isEmpty();
    assertThat(colony("status").out()).isEqualTo("whole\none\n");
    assertOnlyOneDistribution();
  }

  /** With the lock of the system, and with that of systems that have none. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void twoAtOnceBuildOnce(boolean flock) throws Exception {
    Map<String, String> path = flock ? Map.of() : Map.of("PATH", withoutFlock());
    Files.createFile(tree.resolve("held"));
    Process one = start(path, "run");
    awaitBuilds(1);
    Process other = start(path, "run");
    await().atMost(LONGEST).until(() -> err(other).contains("waiting for another call"));
    Files.delete(tree.resolve("held"));
    assertThat(ended(one).out()).endsWith("one\n");
    assertThat(ended(other).out()).endsWith("one\n");
    assertThat(builds()).isEqualTo(1);
  }

  /** As Ctrl-C, a terminal that is closed, and kill end it. */
  @ParameterizedTest
  @ValueSource(strings = {"INT 130", "HUP 129", "TERM 143"})
  void anInterruptedBuildLeavesWhatWasThereAndNoProcess(String signal) throws Exception {
    colony("run");
    source("two");
    Files.createFile(tree.resolve("slow"));
    Process building = start(Map.of(), "run");
    awaitBuilds(2);
    await().atMost(LONGEST).until(() -> sleeps(building));
    List<ProcessHandle> below = building.descendants().toList();
    Ended interrupted = signalled(building, signal);
    assertThat(interrupted.err()).contains("colony: interrupted");
    await().atMost(LONGEST).until(() -> below.stream().noneMatch(ProcessHandle::isAlive));
    assertOnlyOneDistribution();
    assertThat(colony("status").out()).isEqualTo("whole\none\n");
    Files.delete(tree.resolve("slow"));
    assertThat(colony("run").out()).isEqualTo("whole\ntwo\n");
  }

  @Test
  void aCacheWhoseMakingIsInterruptedIsNotUsed() throws Exception {
    Files.createFile(tree.resolve("slow-cache"));
    Process making = start(Map.of(), "run");
    await().atMost(LONGEST).until(() -> sleeps(making));
    assertThat(colony("status").out()).as("beside it").isEqualTo("one\n");
    List<ProcessHandle> below = making.descendants().toList();
    signalled(making, "INT 130");
    await().atMost(LONGEST).until(() -> below.stream().noneMatch(ProcessHandle::isAlive));
    assertThat(colony("status").out()).isEqualTo("one\n");
    Files.delete(tree.resolve("slow-cache"));
    assertThat(colony("run").out()).isEqualTo("whole\none\n");
    assertThat(builds()).isEqualTo(1);
  }

  /** A JVM reads names of files by the locale. */
  @Test
  void namesOfFilesAreReadInAnyLocale() throws Exception {
    script("bin/locale", "#!/usr/bin/env bash\necho \"${CHARMAP:-UTF-8}\"\n");
    colony("run");
    Files.createFile(tree.resolve("tell-locale"));
    assertThat(ended(start(Map.of("LC_ALL", "C", "CHARMAP", "ANSI_X3.4-1968"), "run")).out())
        .isEqualTo("C.UTF-8\n");
    assertThat(ended(start(Map.of("LC_ALL", "de_DE.UTF-8"), "run")).out())
        .isEqualTo("de_DE.UTF-8\n");
  }

  private void assertOnlyOneDistribution() throws IOException {
    try (var files = Files.list(tree.resolve("deploy/cli/target"))) {
      assertThat(files.filter(Files::isDirectory)).hasSize(1);
    }
  }

  private void source(String text) throws IOException {
    Path file = tree.resolve("deploy/cli/src/main/A.java");
    Files.createDirectories(file.getParent());
    Files.writeString(file, text + "\n");
  }

  private void script(String path, String text) throws IOException {
    Path file = tree.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private String withoutFlock() throws IOException {
    for (String tool : TOOLS) {
      for (String place : List.of("/usr/bin", "/bin")) {
        if (Files.exists(Path.of(place, tool))) {
          script("tools/" + tool, "#!/bin/sh\nexec %s/%s \"$@\"\n".formatted(place, tool));
        }
      }
    }
    return tree.resolve("bin") + ":" + tree.resolve("tools");
  }

  private long builds() throws IOException {
    Path file = tree.resolve("builds");
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  private void awaitBuilds(int number) {
    await().atMost(LONGEST).until(() -> builds() == number);
  }

  /** Whether what it has started waits. */
  private static boolean sleeps(Process process) {
    return process
        .descendants()
        .anyMatch(
            one -> one.info().arguments().filter(it -> List.of(it).contains("1000")).isPresent());
  }

  private Ended colony(String... arguments) throws Exception {
    return ended(start(Map.of(), arguments));
  }

  private Process start(Map<String, String> environment, String... arguments) throws IOException {
    List<String> line = new ArrayList<>(List.of("env", "--default-signal=INT", "bash"));
    line.add(tree.resolve("colony").toString());
    line.addAll(List.of(arguments));
    Path err = tree.resolve("err" + started.size());
    ProcessBuilder builder = new ProcessBuilder(line).redirectError(err.toFile());
    builder.environment().put("TREE", tree.toString());
    builder.environment().put("JAVA_HOME", tree.resolve("jdk").toString());
    builder.environment().put("COLONY_STATE", tree.resolve("state").toString());
    builder.environment().put("PATH", tree.resolve("bin") + ":" + System.getenv("PATH"));
    builder.environment().putAll(environment);
    builder.redirectOutput(tree.resolve("out" + started.size()).toFile());
    Process process = builder.start();
    process.getOutputStream().close();
    started.add(process);
    return process;
  }

  private Ended signalled(Process process, String signalAndStatus) throws Exception {
    String[] words = signalAndStatus.split(" ");
    new ProcessBuilder("kill", "-" + words[0], Long.toString(process.pid())).start().waitFor();
    Ended ended = ended(process);
    assertThat(ended.status()).isEqualTo(Integer.parseInt(words[1]));
    return ended;
  }

  private String err(Process process) throws IOException {
    return Files.readString(tree.resolve("err" + started.indexOf(process)));
  }

  private Ended ended(Process process) throws Exception {
    assertThat(process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)).as(err(process)).isTrue();
    String out = Files.readString(tree.resolve("out" + started.indexOf(process)));
    return new Ended(process.exitValue(), out, err(process));
  }
}
