package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.library.research.ResearchTypes;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes that call a listed server, which publishes the events of its cache over ZeroMQ as vLLM
 * does. Its cache keeps about six pages.
 */
class ListedServerPagesTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final AgentBlueprint READER = ResearchTypes.analyst();

  @TempDir private Path folder;

  @Test
  void aPageIsInTheTableAsLongAsTheServersEventsHaveItsBlocks() throws Exception {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    for (int file = 0; file < 16; file++) {
      Files.writeString(
          tree.resolve("Note" + file + ".txt"),
          ("kettle " + file + " is on the stove of room " + file + "\n").repeat(35));
    }
    Config base = NodeConfig.base(Optional.empty());
    try (EmbeddedReplica server = server(base);
        LocalNodes nodes = new LocalNodes(2, folder, settings(server).withFallback(base));
        BlackboardPageTable table =
            new BlackboardPageTable(
                nodes.blackboards(), "test", TableSettings.fromConfig(nodes.config()))) {
      ReplicaId id = new ReplicaId(server.uri().getRawAuthority());
      List<PageId> pages = nodes.store(tree).pages().stream().map(page -> page.id()).toList();
      assertThat(pages).hasSizeGreaterThan(12);
      PageId first = pages.getFirst();
      // Its events are heard from the first block on that is stored after its connection stands.
      await()
          .atMost(LONGEST)
          .until(() -> {
            read(nodes, 0, "warm-" + System.nanoTime(), pages.subList(12, 13));
            return table.snapshot().knows(id);
          });
      read(nodes, 0, "one", List.of(first));
      await().atMost(LONGEST).until(() -> table.snapshot().pages(id).containsKey(first));
      assertThat(table.snapshot().replicasWith(first)).containsExactly(id);
      // The other node's calls push it out, which the first one's gateway hears of.
      read(nodes, 1, "other", pages.subList(1, 12));
      await().atMost(LONGEST).until(() -> !table.snapshot().pages(id).containsKey(first));
      PageId last = pages.get(11);
      await().atMost(LONGEST).until(() -> table.snapshot().pages(id).containsKey(last));
    }
  }

  private static EmbeddedReplica server(Config base) throws Exception {
    return EmbeddedReplica.start(
        EmbeddedReplicaSettings.fromConfig(
            ConfigFactory.parseString(
                    """
                    colony.inference.embedded {
                      capacity-blocks = 320, context-tokens = 4096
                      kv-events { enabled = true, port = 0 }
                    }
                    """)
                .withFallback(base)
                .resolve()));
  }

  private static Config settings(EmbeddedReplica server) {
    return ConfigFactory.parseString(
        """
        colony.vcm.grouping { page-size-tokens = 512, pages-per-group = 1 }
        colony.vcm.table.debounce = 20ms
        colony.inference.replicas {
          servers = ["%s"]
          kv-events { port = %d, replay-port = %d }
        }
        """
            .formatted(
                server.uri(),
                server.kvEventsPort().orElseThrow(),
                server.kvReplayPort().orElseThrow()));
  }

  /** One call over each page, by an agent of a unit, that is of a node. */
  private static void read(LocalNodes nodes, int unit, String name, List<PageId> pages) {
    BlackboardColony colony =
        new BlackboardColony(
            nodes.blackboards(),
            (agent, blueprint) -> unit,
            Settings.read(ClientSettings.class, nodes.config()));
    AgentHandle reader =
        colony.spawn(new AgentId("t", "c", name), READER).toCompletableFuture().join();
    ObjectNode input =
        JsonNodeFactory.instance.objectNode().put("question", "Where is the kettle?");
    ArrayNode array = input.putArray("pages");
    pages.forEach(page -> array.add(page.value()));
    AgentRun run =
        reader
            .run(input, RunOptions.namespace("test").timeout(LONGEST))
            .result()
            .toCompletableFuture()
            .join();
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
  }
}
