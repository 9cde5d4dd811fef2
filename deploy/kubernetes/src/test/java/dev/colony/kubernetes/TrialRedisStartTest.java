package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the container of the trial's Redis runs, taken from the rendered chart and run here with the
 * carried server's own {@code redis-check-aof}; in the place of the server stands a script that
 * says that it was started.
 */
class TrialRedisStartTest {

  private static final String SET = command("SET", "k", "lines\r\n of \0 {\"text\": \"*3\"}");
  private static final String COMMIT =
      command("MULTI") + SET + command("DEL", "k") + command("EXEC");
  private static final String WHOLE = command("SELECT", "0") + SET + COMMIT;

  /** A snapshot of nothing: header, end, no checksum. */
  private static final String SNAPSHOT = "REDIS0009\u00ff" + "\0".repeat(8);

  private static String script;

  @TempDir private static Path tools;
  @TempDir private Path data;

  private record Outcome(int status, String said) {}

  @BeforeAll
  static void prepare() throws IOException {
    script =
        ChartFolder.manifest(ChartFolder.DEFAULTS)
            .one(StatefulSet.class, "colony-redis")
            .getSpec()
            .getTemplate()
            .getSpec()
            .getContainers()
            .getFirst()
            .getArgs()
            .getFirst();
    RedisServerProcess.ensure(ServerSettings.in(tools).withCarried(true)).stop();
    try (Stream<Path> files = Files.list(tools)) {
      Path carried =
          files
              .filter(file -> file.getFileName().toString().startsWith("redis-server-"))
              .findFirst()
              .orElseThrow();
      Files.deleteIfExists(tools.resolve("redis-check-aof"));
      Files.createSymbolicLink(tools.resolve("redis-check-aof"), carried);
    }
    Files.writeString(tools.resolve("redis-server"), "#!/bin/sh\necho started; cat \"$1\"\n");
    Files.setPosixFilePermissions(
        tools.resolve("redis-server"), PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void aWholeFileIsLeftAsItIsAndMemoryIsBoundedByTheLimit() throws Exception {
    assertThat(start(WHOLE).said())
        .contains("started", "maxmemory 644245080", "requirepass secret");
    assertThat(content("appendonly.aof")).isEqualTo(WHOLE);
    assertThat(data.resolve("cut")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(ints = 13)
  void whatIsTornOffAtTheEndIsCutAndKept(int apart) throws Exception {
    torn(apart);
  }

  @ParameterizedTest
  @Tag("faults")
  @ValueSource(ints = 3)
  void soItIsWhereverItIsTorn(int apart) throws Exception {
    torn(apart);
  }

  private void torn(int apart) throws Exception {
    for (String tail : List.of(SET, COMMIT)) {
      for (int length = 1; length < tail.length(); length += apart) {
        String torn = tail.substring(0, length);
        Outcome outcome = start(WHOLE + torn);
        assertThat(outcome.status()).as(torn + ": " + outcome.said()).isZero();
        assertThat(outcome.said())
            .contains("started", "cut " + length + " bytes at byte " + WHOLE.length());
        assertThat(content("appendonly.aof")).isEqualTo(WHOLE);
        try (Stream<Path> kept = Files.list(data.resolve("cut"))) {
          assertThat(kept.map(file -> content("cut/" + file.getFileName()))).contains(torn);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = 23)
  void aBadByteInTheMiddleCutsNothing(int apart) throws Exception {
    damaged(apart);
  }

  @ParameterizedTest
  @Tag("faults")
  @ValueSource(ints = 5)
  void soItIsWhereverTheByteIs(int apart) throws Exception {
    damaged(apart);
  }

  private void damaged(int apart) throws Exception {
    String file = WHOLE + SET + COMMIT + SET;
    for (int at = 0; at < file.length() - SET.length(); at += apart) {
      String damaged =
          file.substring(0, at) + (char) (file.charAt(at) ^ 1) + file.substring(at + 1);
      Outcome outcome = start(damaged);
      assertThat(content("appendonly.aof")).as(at + ": " + outcome.said()).isEqualTo(damaged);
      assertThat(outcome.said())
          .contains(outcome.status() == 0 ? "started" : "refusing to start: appendonly.aof");
    }
    for (String damaged : List.of(file.replaceFirst("\\$2", "\\$9"), "x" + file)) {
      assertThat(start(damaged).status()).isNotZero();
      assertThat(content("appendonly.aof")).isEqualTo(damaged);
    }
    String withoutEnd = WHOLE + COMMIT.replace("EXEC", "EXEX") + SET;
    assertThat(start(withoutEnd).status()).isNotZero();
    assertThat(content("appendonly.aof")).isEqualTo(withoutEnd);
  }

  @Test
  void aSnapshotMayStandBeforeTheCommands() throws Exception {
    assertThat(start(SNAPSHOT + WHOLE + "*1\r\n$5\r\nMULTI\r\n").said()).contains("started", "cut");
    assertThat(content("appendonly.aof")).isEqualTo(SNAPSHOT + WHOLE);
  }

  @Test
  void onlyTheLastOfSeveralFilesMayBeTorn() throws Exception {
    assertThat(parts(SNAPSHOT, WHOLE, WHOLE + "*1\r\n$5\r\nMUL").said()).contains("started", "cut");
    assertThat(content("appendonlydir/b.incr.aof")).isEqualTo(WHOLE);

    Outcome earlier = parts(SNAPSHOT, WHOLE + "*1\r\n$5\r\nMUL", WHOLE);
    assertThat(earlier.status()).isNotZero();
    assertThat(earlier.said()).contains("a.incr.aof is damaged and is not the last file");
    assertThat(content("appendonlydir/a.incr.aof")).endsWith("MUL");

    Files.delete(data.resolve("appendonlydir/a.incr.aof"));
    assertThat(run().said()).contains("refusing to start: appendonlydir/a.incr.aof is missing");
  }

  @Test
  void anEmptyVolumeStarts() throws Exception {
    assertThat(run().said()).contains("started");
  }

  private Outcome parts(String base, String first, String second) throws Exception {
    Path folder = Files.createDirectories(data.resolve("appendonlydir"));
    write(folder.resolve("base.rdb"), base);
    write(folder.resolve("a.incr.aof"), first);
    write(folder.resolve("b.incr.aof"), second);
    write(
        folder.resolve("appendonly.aof.manifest"),
        """
        file base.rdb seq 1 type b
        file a.incr.aof seq 1 type i
        file b.incr.aof seq 2 type i
        """);
    return run();
  }

  private Outcome start(String file) throws Exception {
    write(data.resolve("appendonly.aof"), file);
    return run();
  }

  private Outcome run() throws Exception {
    write(data.resolve("redis.conf"), "appendonly yes\n");
    ProcessBuilder builder = new ProcessBuilder("sh", "-ec", script).redirectErrorStream(true);
    builder.environment().put("PATH", tools + ":" + System.getenv("PATH"));
    builder.environment().put("DATA", data.toString());
    builder.environment().put("CONFIG", data.toString());
    builder.environment().put("TMPDIR", tools.toString());
    builder.environment().put("MEMORY_LIMIT", Long.toString(1L << 30));
    builder.environment().put("MEMORY_PERCENT", "60");
    builder.environment().put("REDISCLI_AUTH", "secret");
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    return new Outcome(process.waitFor(), said);
  }

  private String content(String file) {
    return ChartFolder.read(data.resolve(file), StandardCharsets.ISO_8859_1);
  }

  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardCharsets.ISO_8859_1);
  }

  private static String command(String... words) {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    Arrays.stream(words).forEach(word -> text.append("$" + word.length() + "\r\n" + word + "\r\n"));
    return text.toString();
  }
}
