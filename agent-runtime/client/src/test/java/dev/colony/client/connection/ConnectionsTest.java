package dev.colony.client.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentException;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster by its URL, whose password stands where {@code colony up} puts it. */
class ConnectionsTest {

  @TempDir private Path folder;

  private RedisServerProcess server;

  @BeforeEach
  void start() {
    server = RedisServerProcess.ensure(ServerSettings.in(folder.resolve("redis")));
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  @Test
  void thePasswordOfOnesOwnServerIsFound() {
    Connections own = new Connections(List.of(folder.resolve("none"), folder.resolve("redis")));
    for (String host : List.of("127.0.0.1", "localhost")) {
      try (Colony colony = own.connect("redis://" + host + ":" + server.port()).orElseThrow()) {
        assertThat(colony.agent("nobody").state().join()).isEmpty();
      }
    }
  }

  @Test
  void aServerThatWantsAPasswordSaysWhereItWasLookedFor() {
    Path elsewhere = folder.resolve("elsewhere");
    Connections other = new Connections(List.of(elsewhere));
    assertThatThrownBy(() -> other.connect("redis://127.0.0.1:" + server.port()))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("Redis asks for a password")
        .hasMessageEndingWith("none that fits was found for this user in [" + elsewhere + "]")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void aUrlOfNothingIsRefusedWithoutItsPassword() {
    assertThatThrownBy(() -> Colony.connect("amqp://me:secret@host"))
        .isInstanceOf(AgentException.class)
        .hasMessageStartingWith("no colony is at amqp://host: give redis://HOST:PORT")
        .message()
        .doesNotContain("secret");
    assertThatThrownBy(Colony::local)
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("add the module agent-node to the class path");
  }
}
