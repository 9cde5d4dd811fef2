package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The logs that up keeps of its nodes. */
class LogsCommandTest {

  @TempDir private Path state;

  private Path logs;

  @BeforeEach
  void write() throws IOException {
    logs = Files.createDirectories(state.resolve("logs"));
    Files.writeString(logs.resolve("node-1.log"), "one a\none b\none c\n");
    Files.writeString(logs.resolve("node-2.log"), "two a\nhalf a line");
    Files.writeString(logs.resolve("colony-up.log"), "of a command\n");
  }

  private Finished logs(String... arguments) {
    String[] all = new String[arguments.length + 3];
    all[0] = "logs";
    all[1] = "--state";
    all[2] = state.toString();
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    return CommandLineRun.of(all);
  }

  @Test
  void theLastLinesOfAllNodesStandBehindTheirNames() {
    Finished shown = logs("--lines", "2");
    assertThat(shown.status()).isZero();
    assertThat(shown.out().lines())
        .containsExactly("node-1 | one b", "node-1 | one c", "node-2 | two a");
  }

  @Test
  void thoseOfOneNodeStandByThemselves() {
    assertThat(logs("node-2").out().lines()).containsExactly("two a");
  }

  @Test
  void whatComesIsFollowedAlsoIntoALogThatIsBegunAnew() throws IOException {
    try (RunningCommand following =
        CommandLineRun.start(
            "logs", "--state", state.toString(), "--lines", "1", "--follow", "node-1")) {
      await().until(() -> following.out().contains("one c\n"));
      Files.writeString(logs.resolve("node-1.log"), "one d\n", StandardOpenOption.APPEND);
      await().until(() -> following.out().contains("one d\n"));
      Files.writeString(logs.resolve("node-1.log"), "new\n");
      await().until(() -> following.out().contains("new\n"));
      assertThat(following.out()).isEqualTo("one c\none d\nnew\n");
    }
  }

  @Test
  void whoIsNotThereIsRefusedByName() {
    Finished unknown = logs("node-9");
    assertThat(unknown.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(unknown.err()).contains("no node node-9", "node-1, node-2");
    assertThat(logs("--lines", "-1").err()).contains("--lines is -1");
  }
}
