package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.library.research.Answer;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.table.BlackboardPageTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages that the graph says follow an answer are loaded before they are asked about. */
class LoadAheadTest {

  private static final Duration LONGEST = Duration.ofSeconds(120);
  private static final String FAR = "Far.txt";
  private static final Config SETTINGS =
      ConfigFactory.parseString(
              """
              colony.vcm.grouping { page-size-tokens = 2048, pages-per-group = 2 }
              colony.vcm.prefetch { pages = 4, likelihood = 0.8, backlog = 1h }
              colony.vcm.table.debounce = 20ms
              """)
          .withFallback(NodeConfig.base(Optional.empty()));

  @TempDir private Path folder;

  @Test
  void aQuestionHasThePagesLoadedThatFollowItsAnswer() throws Exception {
    Path tree = LoadedPagesTest.notes(folder, 18);
    Files.writeString(tree.resolve(FAR), "anchors lie below seven fathoms\n".repeat(250));
    try (LocalNodes nodes = new LocalNodes(2, folder, SETTINGS);
        BlackboardPageTable table =
            new BlackboardPageTable(
                nodes.blackboards(), "test", TableSettings.fromConfig(nodes.config()))) {
      await().atMost(LONGEST).until(() -> table.snapshot().replicas().size() == 2);
      MappingResult.Mapped mapped = nodes.store(tree);
      String map = mapped.map().id();
      List<PageId> far = pagesOfOnly(FAR, mapped);
      assertThat(far).isNotEmpty().hasSizeLessThanOrEqualTo(4);
      leadTo(far, mapped, nodes);
      Colony colony = LoadedPagesTest.colony(nodes, table);

      Answer first = question(colony, map, "In which room is kettle 3 on the stove?");

      assertThat(first.read())
          .as("what follows was not read")
          .isNotEmpty()
          .doesNotContainAnyElementsOf(far.stream().map(PageId::value).toList());
      await()
          .atMost(LONGEST)
          .until(() -> far.stream().noneMatch(p -> table.snapshot().replicasWith(p).isEmpty()));
      long loaded =
          mapped.pages().stream()
              .filter(page -> !table.snapshot().replicasWith(page.id()).isEmpty())
              .count();
      assertThat(loaded)
          .as("nothing else is loaded")
          .isLessThanOrEqualTo(first.read().size() + far.size());

      JsonNode stats = question(colony, map, "How deep do anchors lie?").analystStats();
      assertThat(stats.at("/usage/cachedTokens").asDouble())
          .as(stats.toString())
          .isGreaterThan(0.9 * far.size() * 1_500);
    }
  }

  private static List<PageId> pagesOfOnly(String file, MappingResult.Mapped mapped) {
    return mapped.pages().stream()
        .filter(page -> page.segments().stream().allMatch(one -> one.file().equals(file)))
        .map(VirtualContextPage::id)
        .toList();
  }

  /** Has every other page lead there. */
  private static void leadTo(List<PageId> far, MappingResult.Mapped mapped, LocalNodes nodes) {
    Instant now = nodes.blackboards().clock().instant();
    PageGraph graph = new PageGraph(GraphSettings.fromConfig(nodes.config()));
    mapped.pages().forEach(page -> graph.add(page.id()));
    for (VirtualContextPage page : mapped.pages()) {
      far.forEach(to -> graph.update(page.id(), to, 0.9, now));
    }
    new PageGraphStore(
            nodes.blackboards().open(PageGraphStore.scope(Node.PAGES_TENANT), "test"),
            GraphSettings.fromConfig(nodes.config()),
            StoreSettings.fromConfig(nodes.config()))
        .save(mapped.map().id(), graph)
        .toCompletableFuture()
        .join();
  }

  private static Answer question(Colony colony, String map, String text) {
    ObjectNode input = JsonNodeFactory.instance.objectNode().put("text", text).put("map", map);
    AgentRun run =
        colony
            .spawn(new AgentId("t", "c", "asked"), ResearchTypes.coordinator())
            .toCompletableFuture()
            .join()
            .run(input, RunOptions.namespace("research").timeout(LONGEST))
            .result()
            .toCompletableFuture()
            .join();
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    return Answer.fromJson(run.output());
  }
}
