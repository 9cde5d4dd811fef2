package dev.colony.deploy.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.deploy.node.NodeOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The ports of the nodes of one machine. */
class LoopbackNodesTest {

  @Test
  void theFirstServesTheApiWhereItIsLookedForIfNobodyElseDoes() throws Exception {
    int usual = LoopbackPorts.free(1).getFirst();
    assertThat(nodes(OptionalInt.of(usual)).getFirst().api()).hasValue(usual);
    try (ServerSocket taken = new ServerSocket(usual, 1, InetAddress.getLoopbackAddress())) {
      assertThat(nodes(OptionalInt.of(taken.getLocalPort())).getFirst().api().getAsInt())
          .isNotEqualTo(usual)
          .isPositive();
    }
    assertThat(nodes(OptionalInt.empty()))
        .extracting(NodeOptions::api)
        .containsOnly(OptionalInt.empty());
  }

  @Test
  void noTwoPortsAreTheSame() {
    assertThat(
            nodes(OptionalInt.of(0)).stream()
                .flatMap(node ->
                    Stream.of(
                        node.remoting().address().port(),
                        node.joining().management().orElseThrow().address().port(),
                        node.api().getAsInt())))
        .doesNotHaveDuplicates()
        .hasSize(9);
  }

  private static List<NodeOptions> nodes(OptionalInt api) {
    return new LoopbackNodes(0, api, "redis://127.0.0.1:1", Optional.empty(), Optional.empty())
        .options(3);
  }
}
