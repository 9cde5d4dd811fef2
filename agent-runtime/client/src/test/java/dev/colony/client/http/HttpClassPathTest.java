package dev.colony.client.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.RunState;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A caller over HTTP needs no Pekko, no Lettuce and no Byte Buddy. */
class HttpClassPathTest {

  private static final Pattern NOT_NEEDED =
      Pattern.compile(
          ".*(pekko|scala|lettuce|netty|reactor|byte-buddy|embedded-redis|lucene|jgit|jtokkit"
              + "|junit|jqwik|assertj|awaitility|logback).*\\.jar");

  private static final AgentRun END =
      AgentRun.completed(new RunId("r1"), IntNode.valueOf(3), RunStats.NONE);

  @Test
  void aRunIsAskedForAndAwaitedWithFewLibraries() throws Exception {
    List<String> all = List.of(System.getProperty("java.class.path").split(File.pathSeparator));
    assertThat(all).anyMatch(entry -> entry.contains("lettuce"));
    List<String> needed =
        all.stream()
            .filter(entry -> !NOT_NEEDED.matcher(new File(entry).getName()).matches())
            .toList();
    try (ScriptedApi api = new ScriptedApi()) {
      ScriptedApi.Reaction state =
          ScriptedApi.answer(
              200,
              WireJson.write(new RunState(END.runId(), Optional.of(END))).toString(),
              Map.of());
      api.then(202, "{}").then(state);
      Process caller =
          new ProcessBuilder(
                  ProcessHandle.current().info().command().orElseThrow(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  needed.stream().collect(Collectors.joining(File.pathSeparator)),
                  BareCaller.class.getName(),
                  api.uri().toString())
              .redirectErrorStream(true)
              .start();
      try {
        String said =
            new String(caller.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(said.lines().toList()).last().isEqualTo("COMPLETED 3");
        assertThat(caller.waitFor()).isZero();
      } finally {
        caller.destroyForcibly();
      }
    }
  }
}
