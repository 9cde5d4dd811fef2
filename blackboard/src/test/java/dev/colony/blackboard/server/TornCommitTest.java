package dev.colony.blackboard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.BlackboardException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash leaves at the end of an append-only file is cut off and kept, nothing else. */
class TornCommitTest {

  private static final String MULTI = "*1\r\n$5\r\nMULTI\r\n";
  private static final String SET = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\n";
  private static final String EXEC = "*1\r\n$4\r\nEXEC\r\n";

  @TempDir Path folder;

  @Test
  void wholeCommandsWithoutTheEndOfTheCommitAre() throws IOException {
    assertThat(torn(MULTI)).isTrue();
    assertThat(torn(MULTI + SET + SET)).isTrue();
  }

  @Test
  void everyPartOfACommandBehindTheBeginningOfACommitIs() throws IOException {
    String commit = MULTI + SET + EXEC;
    for (int end = MULTI.length(); end < commit.length(); end++) {
      assertThat(torn(commit.substring(0, end))).as("the first %d bytes", end).isTrue();
    }
  }

  @Test
  void everyPartOfACommandOfItsOwnIs() throws IOException {
    for (int end = 1; end < SET.length(); end++) {
      assertThat(torn(SET.substring(0, end))).as("the first %d bytes", end).isTrue();
    }
    assertThat(torn(MULTI.substring(0, MULTI.length() - 4))).isTrue();
  }

  @Test
  void whatIsDamagedIsNot() throws IOException {
    assertThat(torn(MULTI + SET + "\0\0\0\0\0\0\0\0")).isFalse();
    assertThat(torn(MULTI + SET.replace("$3", "$x"))).isFalse();
    assertThat(torn(MULTI + "x".repeat(100))).isFalse();
    assertThat(torn(SET)).isFalse();
    assertThat(torn(SET.replace("*3", "*0"))).isFalse();
  }

  @Test
  void aWrongLengthThatSwallowsCommandsIsNot() throws IOException {
    String swallowing = SET.replace("$5", "$99999");
    assertThat(torn(swallowing + SET)).isFalse();
    assertThat(torn(MULTI + swallowing + EXEC)).isFalse();
    assertThat(torn(MULTI + SET + swallowing + EXEC + MULTI + SET + EXEC)).isFalse();
  }

  @Test
  void anEndOfACommitThatCannotBeReadIsNot() throws IOException {
    assertThat(torn(MULTI + SET + EXEC.replace("EXEC", "EXEX"))).isFalse();
    assertThat(torn(MULTI + SET + EXEC.replace("EXEC", "EXEX") + SET)).isFalse();
    assertThat(torn(MULTI + SET + MULTI + SET)).isFalse();
  }

  @Test
  void aWholeCommitWithSomethingBehindItIsNot() throws IOException {
    assertThat(torn(MULTI + SET + EXEC + SET)).isFalse();
  }

  @Test
  void whatIsTornOffIsCutOffAndKeptAndABadByteInTheMiddleCutsNothing() throws IOException {
    ServerSettings settings = ServerSettings.in(folder).withCarried(true);
    RedisServerProcess.ensure(settings).stop();
    Path file = folder.resolve("appendonly.aof");
    String whole = SET + MULTI + SET + EXEC;
    for (String tail : List.of(SET.substring(0, 9), MULTI + SET, MULTI + SET + "*1\r\n$4\r\nEXE")) {
      Files.writeString(file, whole + tail);
      RedisServerProcess server = RedisServerProcess.ensure(settings);
      server.stop();
      assertThat(file).hasContent(whole);
      Path kept = only(folder.resolve("cut"));
      assertThat(kept).hasContent(tail);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
          .isEqualTo("rw-------");
      assertThat(server.cutOff())
          .hasValue(
              "%s ended in the midst of a command: cut %d bytes at byte %d, kept in %s"
                  .formatted(file, tail.length(), whole.length(), kept));
      Files.delete(kept);
    }
    for (String damaged :
        List.of(
            SET.replace("$5", "$99999") + whole,
            MULTI + SET.replace("$5", "$99999") + EXEC + whole,
            whole + MULTI + SET + EXEC.replace("C", "X") + whole,
            whole + SET.replace("$3", "x3") + whole)) {
      Files.writeString(file, damaged);
      assertThatThrownBy(() -> RedisServerProcess.ensure(settings))
          .isInstanceOf(BlackboardException.class)
          .hasMessageContainingAll(file + " is damaged at byte ", "restore a backup");
      assertThat(file).hasContent(damaged);
      assertThat(folder.resolve("cut")).isEmptyDirectory();
    }
  }

  private static Path only(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList().getFirst();
    }
  }

  private boolean torn(String end) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), SET + end);
    return TornCommit.torn(file, SET.length());
  }
}
