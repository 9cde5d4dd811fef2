package dev.colony.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.cli.local.ChildNode.NodeEnvironment;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.server.node.NodeOptions;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
import dev.colony.server.node.NodeSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node of this machine is what its environment says, and nothing else says it. */
class NodeEnvironmentTest {

  @TempDir private Path folder;

  @Test
  void whatIsToldIsWhatIsUnderstood() {
    for (NodeOptions told :
        List.of(
            full(
                new Joining.ContactPoints(
                    Listening.at("127.0.0.1", 2_001),
                    List.of(new HostPort("127.0.0.1", 2_001), new HostPort("127.0.0.1", 2_002)))),
            full(new Joining.KubernetesApi(new Listening(new HostPort("10.0.0.1", 7), "0.0.0.0"))),
            LoopbackNodes.withoutApi("redis://127.0.0.1:1", Optional.empty())
                .options(3)
                .getLast())) {
      Config understood =
          ConfigFactory.parseMap(NodeEnvironment.of(told))
              .withFallback(ConfigFactory.defaultReferenceUnresolved())
              .resolve();
      assertThat(NodeSettings.fromConfig(understood, told.configFile()).options()).isEqualTo(told);
      // What ends one of them mostly ends all.
      assertThat(understood.getDuration("colony.agent.model-call-grace")).isZero();
    }
  }

  private static NodeOptions full(Joining joining) {
    return new NodeOptions(
        "n",
        new Listening(new HostPort("10.0.0.1", 3), "0.0.0.0"),
        joining,
        2,
        OptionalInt.of(4),
        "redis://default:secret@127.0.0.1:5",
        Optional.of(URI.create("http://127.0.0.1:6/v1")),
        Optional.of(Path.of("colony.conf")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "colony.node.port = 1",
        "colony.node { name = all }",
        "colony.node.management.port = 7",
        "colony.http.port = 8080",
        "colony { node { redis-url = ${?NOWHERE} } }",
      })
  void aFileMustNotSayItForAllOfThem(String line) throws Exception {
    Path file = Files.writeString(folder.resolve("all.conf"), line);
    assertThatThrownBy(() -> NodeEnvironment.check(Optional.of(file)))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("leave it out");
  }

  @Test
  void whatGoesForAllOfThemMayStandInAFile() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("fine.conf"),
            "colony.node { join-timeout = 3s, tls = /tls }, colony.http.enabled = off");
    NodeEnvironment.check(Optional.of(file));
    NodeEnvironment.check(Optional.empty());
  }
}
