package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The package {@code colony-agents} of {@code clients/python} by its own tests, those against a
 * node too, and its types by the document.
 */
@Tag("real")
class ColonyAgentsPythonTest {

  private static final Path CLIENT = ProjectRoot.find().resolve("clients/python");

  @TempDir private Path folder;

  @Test
  void itsTestsPassAgainstANode() throws Exception {
    Path python = PythonClient.installed("unittest");
    Config config = LocalNodes.config("");
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
    try (Node node =
        Node.start(LocalNodes.options(1, redis.uri(), OptionalInt.of(0)).getFirst(), config)) {
      String[] told =
          PythonClient.said(
              List.of(python.toString(), "-B", "-m", "unittest", "discover", "tests"),
              CLIENT,
              Map.of("COLONY_URL", node.api()));
      assertThat(List.of(told)).as(String.join("\n", told)).endsWith("OK");
    } finally {
      redis.stop();
    }
  }

  @Test
  void itsTypesAreThoseOfTheDocument() throws Exception {
    Path python = PythonClient.installed("json");
    assertThat(
            PythonClient.said(
                List.of(python.toString(), "-B", "generate_types.py", "--check"), CLIENT, Map.of()))
        .isEmpty();
  }
}
