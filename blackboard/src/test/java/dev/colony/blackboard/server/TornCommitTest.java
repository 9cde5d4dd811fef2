package dev.colony.blackboard.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which ends of an append-only file are those of a torn commit. */
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
  void aTornCommandOfItsOwnIsLeftToTheServer() throws IOException {
    assertThat(torn(SET.substring(0, SET.length() - 1))).isFalse();
    assertThat(torn(MULTI.substring(0, MULTI.length() - 4))).isFalse();
    assertThat(torn("")).isFalse();
  }

  @Test
  void whatIsDamagedIsLeftToTheServer() throws IOException {
    assertThat(torn(MULTI + SET + "\0\0\0\0\0\0\0\0")).isFalse();
    assertThat(torn(MULTI + SET.replace("$3", "$x"))).isFalse();
    assertThat(torn(MULTI + "x".repeat(100))).isFalse();
  }

  @Test
  void aWholeCommitWithSomethingBehindItIsLeftToTheServer() throws IOException {
    assertThat(torn(MULTI + SET + EXEC + SET)).isFalse();
  }

  private boolean torn(String end) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), SET + end);
    return TornCommit.endsInTransaction(file, SET.length());
  }
}
