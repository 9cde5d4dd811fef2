package dev.colony.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.cli.local.LoopbackNodes.Api;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.server.node.LoopbackPorts;
import dev.colony.server.node.NodeOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
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
    assertThat(nodes(new Api.Usual(usual)).getFirst().api()).hasValue(usual);
    try (ServerSocket taken = new ServerSocket(usual, 1, InetAddress.getLoopbackAddress())) {
      assertThat(nodes(new Api.Usual(taken.getLocalPort())).getFirst().api().getAsInt())
          .isNotEqualTo(usual)
          .isPositive();
    }
    assertThat(nodes(new Api.None()))
        .extracting(NodeOptions::api)
        .containsOnly(OptionalInt.empty());
  }

  @Test
  void noTwoPortsAreTheSame() {
    assertThat(
            nodes(new Api.Usual(0)).stream()
                .flatMap(node ->
                    Stream.of(
                        node.remoting().address().port(),
                        node.joining().management().orElseThrow().address().port(),
                        node.api().getAsInt())))
        .doesNotHaveDuplicates()
        .hasSize(9);
  }

  @Test
  void eachHasThePortsAgainThatItHadUnlessTheyAreTaken() throws Exception {
    List<NodeRecord> known =
        nodes(new Api.Usual(0)).stream().map(LoopbackNodesTest::record).toList();
    assertThat(records(new Api.Usual(1), known)).isEqualTo(known);
    int taken = URI.create(known.get(1).api()).getPort();
    try (ServerSocket other = new ServerSocket(taken, 1, InetAddress.getLoopbackAddress())) {
      assertThat(other.isBound()).isTrue();
      List<NodeRecord> again = records(new Api.Usual(0), known);
      assertThat(again.get(0)).isEqualTo(known.get(0));
      assertThat(again.get(1).address()).isEqualTo(known.get(1).address());
      assertThat(again.get(1).api()).isNotEqualTo(known.get(1).api());
    }
  }

  @Test
  void aPortThatWasAskedForIsHadOrRefused() throws Exception {
    List<NodeRecord> known =
        nodes(new Api.Usual(0)).stream().map(LoopbackNodesTest::record).toList();
    int asked = LoopbackPorts.free(1).getFirst();
    assertThat(records(new Api.Asked(asked), known).getFirst().api()).endsWith(":" + asked);
    try (ServerSocket taken = new ServerSocket(asked, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> nodes(new Api.Asked(taken.getLocalPort())))
          .isInstanceOf(CommandFailure.class)
          .hasMessage(
              "COLONY_HTTP_PORT is %d, but that port is taken: free it, or give another"
                  .formatted(asked));
    }
  }

  private static List<NodeRecord> records(Api api, List<NodeRecord> known) {
    return new LoopbackNodes(
            0, api, known, "redis://127.0.0.1:1", Optional.empty(), Optional.empty())
        .options(3).stream().map(LoopbackNodesTest::record).toList();
  }

  /** As a node that has ended has described itself. */
  private static NodeRecord record(NodeOptions node) {
    return new NodeRecord(
        node.name(),
        0,
        0,
        node.address(),
        "",
        node.joining().management().orElseThrow().address().toString(),
        "http://127.0.0.1:" + node.api().getAsInt());
  }

  private static List<NodeOptions> nodes(Api api) {
    return new LoopbackNodes(
            0, api, List.of(), "redis://127.0.0.1:1", Optional.empty(), Optional.empty())
        .options(3);
  }
}
