package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.TableSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes, one of whose replicas holds the page that agents on both read. */
class CrossNodeRoutingTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final AgentBlueprint READER = ResearchTypes.analyst();

  @TempDir private Path folder;

  @Test
  void aCallGoesToTheNodeThatHoldsThePageAsLongAsItLives() throws Exception {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    Files.writeString(tree.resolve("Note.txt"), "the kettle is on the stove\n".repeat(40));
    try (LocalNodes nodes = new LocalNodes(2, folder, NodeConfig.base(Optional.empty()));
        BlackboardPageTable table =
            new BlackboardPageTable(
                nodes.blackboards(), "test", TableSettings.fromConfig(nodes.config()))) {
      await().atMost(LONGEST).until(() -> table.snapshot().replicas().size() == 2);
      assertThat(table.snapshot().replicas()).allMatch(replica -> replica.pages().isEmpty());
      PageId page = store(tree, nodes);

      assertThat(read(page, nodes, 0).usage().cachedTokens()).isZero();
      await().atMost(LONGEST).until(() -> !table.snapshot().replicasWith(page).isEmpty());
      NodeAddress holder = holder(table, page);

      // Unit 0 is where the page is; unit 1 went to the node that had none.
      RunStats elsewhere = read(page, nodes, 1);
      assertThat(elsewhere.placementMisses()).isEqualTo(1);
      assertThat(elsewhere.usage().cachedTokens()).isGreaterThan(100);
      assertThat(table.snapshot().replicasWith(page)).hasSize(1);

      nodes.leave(holder);
      await().atMost(LONGEST).until(() -> table.snapshot().replicas().size() == 1);
      assertThat(read(page, nodes, 2).usage().cachedTokens()).isZero();
      await().atMost(LONGEST).until(() -> !table.snapshot().replicasWith(page).isEmpty());
      assertThat(holder(table, page)).isNotEqualTo(holder);
    }
  }

  private static PageId store(Path tree, LocalNodes nodes) {
    return nodes.store(tree).pages().getFirst().id();
  }

  private static NodeAddress holder(BlackboardPageTable table, PageId page) {
    return table.snapshot().replicasWith(page).stream()
        .map(replica -> table.snapshot().replica(replica).orElseThrow())
        .map(ReplicaResidency::node)
        .findFirst()
        .orElseThrow();
  }

  private static RunStats read(PageId page, LocalNodes nodes, int unit) {
    BlackboardColony colony =
        new BlackboardColony(
            nodes.blackboards(),
            (agent, blueprint) -> unit,
            Settings.read(ClientSettings.class, nodes.config()));
    AgentHandle reader =
        colony.spawn(new AgentId("t", "c", "reader-" + unit), READER).toCompletableFuture().join();
    ObjectNode input = JsonNodeFactory.instance.objectNode().put("question", "Where is it?");
    input.putArray("pages").add(page.value());
    AgentRun run =
        reader
            .run(input, RunOptions.namespace("test").timeout(LONGEST))
            .result()
            .toCompletableFuture()
            .join();
    assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
    return run.stats();
  }
}
