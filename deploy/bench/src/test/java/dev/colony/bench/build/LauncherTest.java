package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which commands the launcher starts for a short time. */
class LauncherTest {

  /** Has the shell read the function from the launcher, and says what it says of a command. */
  private static final String ASK =
      "eval \"$(sed -n '/^brief()/,/^}/p' \"$1\")\"; shift; if brief \"$@\"; then echo brief;"
          + " else echo long; fi";

  @TempDir private Path state;

  private String said(String command) throws Exception {
    List<String> line = new ArrayList<>(List.of("bash", "-euo", "pipefail", "-c", ASK, "colony"));
    line.add(ProjectRoot.find().resolve("colony").toString());
    line.addAll(Arrays.asList(command.split(" ")));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put("COLONY_STATE", state.toString());
    Process process = builder.start();
    process.getOutputStream().close();
    return new String(process.getInputStream().readAllBytes()).strip();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"status", "pages maps", "pages load m", "agents tree", "chat a/b/c", "--help"})
  void oneThatOnlyAsksNodes(String command) throws Exception {
    assertThat(said(command)).isEqualTo("brief");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"up --nodes 3", "node", "supervise", "bench steps", "mcp", "pages map ./src"})
  void oneThatWorksItself(String command) throws Exception {
    assertThat(said(command)).isEqualTo("long");
  }

  @Test
  void aRunWhichSearchesOrWaitsForItsModel() throws Exception {
    assertThat(said("run ./src --ask x --hits 3")).isEqualTo("brief");
    assertThat(said("run ./src --ask x --model-url http://gpu-1:8000/v1")).isEqualTo("brief");
  }

  @Test
  void aQuestionWhereAClusterIsUp() throws Exception {
    assertThat(said("ask ./src x")).isEqualTo("long");
    Files.createFile(state.resolve("up.json"));
    assertThat(said("ask ./src x")).isEqualTo("brief");
  }
}
