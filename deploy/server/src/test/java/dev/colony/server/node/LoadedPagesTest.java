package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.library.research.Answer;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.TableSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A map on two nodes with embedded replicas, whose pages are loaded before it is asked about. */
class LoadedPagesTest {

  private static final Duration LONGEST = Duration.ofSeconds(120);
  private static final int NOTES = 6;
  private static final Config SETTINGS =
      ConfigFactory.parseString(
              """
              colony.vcm.grouping { page-size-tokens = 2048, pages-per-group = 2 }
              colony.vcm.table.debounce = 20ms
              """)
          .withFallback(NodeConfig.base(Optional.empty()));

  @TempDir private Path folder;

  /** A directory of so many files about one thing each. */
  static Path notes(Path folder, int many) throws IOException {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    for (int file = 0; file < many; file++) {
      Files.writeString(
          tree.resolve("Note" + file + ".txt"),
          ("kettle " + file + " is on the stove of room " + file + "\n").repeat(150));
    }
    return tree;
  }

  /** Agents of the nodes, which live where their pages are. */
  static Colony colony(LocalNodes nodes, BlackboardPageTable table) {
    return new BlackboardColony(
        nodes.blackboards(),
        new PageHomes(table, 8),
        Settings.read(ClientSettings.class, nodes.config()));
  }

  @Test
  void aQuestionFindsEachPageWhereItsReaderIsAndNoneIsLoadedTwice() throws Exception {
    Path tree = notes(folder, NOTES);
    try (LocalNodes nodes = new LocalNodes(2, folder, SETTINGS);
        BlackboardPageTable table =
            new BlackboardPageTable(
                nodes.blackboards(), "test", TableSettings.fromConfig(nodes.config()))) {
      await().atMost(LONGEST).until(() -> table.snapshot().replicas().size() == 2);
      MappingResult.Mapped mapped = nodes.store(tree);
      String map = mapped.map().id();
      int pages = mapped.pages().size();
      assertThat(pages).isGreaterThan(4);
      Colony colony = colony(nodes, table);

      JsonNode first = loaded(colony, map, Long.MAX_VALUE);
      assertThat(first.path("loaded").asInt()).isEqualTo(pages).isEqualTo(first.path("of").asInt());
      assertThat(first.path("failed").asInt()).as(first.toString()).isZero();
      assertThat(first.at("/stats/modelCalls").asInt()).isEqualTo(pages);
      await()
          .atMost(LONGEST)
          .until(() ->
              mapped.pages().stream()
                  .noneMatch(page -> table.snapshot().replicasWith(page.id()).isEmpty()));
      assertThat(table.snapshot().replicas())
          .as("on both nodes")
          .noneMatch(replica -> replica.pages().isEmpty());

      // The nodes' own tables may learn of the pages a little later than the one here.
      AtomicInteger asked = new AtomicInteger();
      Answer answer =
          await()
              .atMost(LONGEST)
              .until(
                  () -> Answer.fromJson(question(colony, map, asked.incrementAndGet()).output()),
                  one -> one.analystStats().path("placementMisses").asInt() == 0);
      JsonNode stats = answer.analystStats();
      assertThat(answer.read()).isNotEmpty();
      assertThat(stats.path("placementHits").asInt()).isEqualTo(answer.analysts());
      // Pages and preamble; not the question behind them.
      double share =
          stats.at("/usage/cachedTokens").asDouble() / stats.at("/usage/promptTokens").asDouble();
      assertThat(share).as(stats.toString()).isGreaterThan(0.9);

      JsonNode second = loaded(colony, map, Long.MAX_VALUE);
      assertThat(second.path("resident").asInt()).isEqualTo(pages);
      assertThat(second.at("/stats/modelCalls").asInt()).isZero();
      JsonNode some = loaded(colony, map, mapped.map().groups().getFirst().sizeTokens());
      assertThat(some.path("resident").asInt())
          .as("the first group")
          .isEqualTo(mapped.map().groups().getFirst().pages().size());

      AgentRun refused = load(colony, "a".repeat(26), 1);
      assertThat(refused.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(refused.error()).hasValue("no page map " + "a".repeat(26));
    }
  }

  private static JsonNode loaded(Colony colony, String map, long tokens) {
    AgentRun run = load(colony, map, tokens);
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    return run.output();
  }

  private static AgentRun load(Colony colony, String map, long tokens) {
    ObjectNode input = JsonNodeFactory.instance.objectNode().put("map", map).put("tokens", tokens);
    return run(colony, "loading-" + map, ResearchTypes.loading(), input);
  }

  /** About another kettle each time, so that no prompt is in a cache from an earlier question. */
  private static AgentRun question(Colony colony, String map, int kettle) {
    ObjectNode input =
        JsonNodeFactory.instance
            .objectNode()
            .put("text", "In which room is kettle %d on the stove?".formatted(kettle % NOTES))
            .put("map", map);
    AgentRun run = run(colony, "asked-" + kettle, ResearchTypes.coordinator(), input);
    assertThat(run.status()).as(run.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    return run;
  }

  private static AgentRun run(
      Colony colony, String name, AgentBlueprint blueprint, ObjectNode input) {
    return colony
        .spawn(new AgentId("t", "c", name), blueprint)
        .toCompletableFuture()
        .join()
        .run(input, RunOptions.namespace("research").timeout(LONGEST))
        .result()
        .toCompletableFuture()
        .join();
  }
}
