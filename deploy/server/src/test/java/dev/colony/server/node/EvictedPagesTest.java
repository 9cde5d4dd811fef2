package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.TableSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent that is bound to two pages, on a node whose embedded replica keeps about six, and agents
 * that read others.
 */
class EvictedPagesTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final AgentBlueprint READER = ResearchTypes.analyst();

  /** A call takes some tenths of a second; only calls of other agents load what was evicted. */
  private static final String SETTINGS =
      """
      colony.vcm.grouping { page-size-tokens = 512, pages-per-group = 1 }
      colony.vcm.table.debounce = 20ms
      colony.agent.pages.reload-after = 1h
      colony.inference.embedded {
        capacity-blocks = 320, context-tokens = 4096, time.factor = 0.05
      }
      """;

  @TempDir private Path folder;
  private LocalNodes nodes;
  private BlackboardPageTable table;
  private Colony colony;
  private List<PageId> pages;
  private List<PageId> own;
  private AgentHandle bound;

  @BeforeEach
  void start() throws Exception {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    for (int file = 0; file < 16; file++) {
      Files.writeString(
          tree.resolve("Note" + file + ".txt"),
          ("kettle " + file + " is on the stove of room " + file + "\n").repeat(35));
    }
    nodes =
        new LocalNodes(
            1,
            folder,
            ConfigFactory.parseString(SETTINGS).withFallback(NodeConfig.base(Optional.empty())));
    table =
        new BlackboardPageTable(
            nodes.blackboards(), "test", TableSettings.fromConfig(nodes.config()));
    pages = nodes.store(tree).pages().stream().map(page -> page.id()).toList();
    assertThat(pages).hasSizeGreaterThan(12);
    own = pages.subList(0, 2);
    PageGroup group = new PageGroup(new PageGroupId("g".repeat(26)), "tree", own, 1000);
    table.assign(
        List.of(group), (groups, known) -> new TreeMap<>(Collections.singletonMap(group.id(), 3)));
    colony =
        new BlackboardColony(
            nodes.blackboards(),
            new PageHomes(table, 8),
            Settings.read(ClientSettings.class, nodes.config()));
    bound =
        colony
            .spawn(
                new AgentId("t", "c", "bound"), READER.pages(group.id()).kind(AgentKind.VCM_BOUND))
            .toCompletableFuture()
            .join();
  }

  @AfterEach
  void stop() {
    if (table != null) {
      table.close();
    }
    if (nodes != null) {
      nodes.close();
    }
  }

  @Test
  void anAgentAtWorkIsSuspendedWhenOthersFillTheCacheAndGoesOnWhenItsPagesAreBack() {
    List<PageId> reading = IntStream.range(0, 24).mapToObj(i -> own.get(i == 0 ? 0 : 1)).toList();
    RunHandle run = run(bound, "long", reading);
    await().atMost(LONGEST).until(() -> resident(own.get(0)) && resident(own.get(1)));
    fill();
    awaitState(AgentState.SUSPENDED);
    assertThat(resident(own.get(0))).isFalse();
    assertThat(status().reason().orElseThrow()).contains("pages");

    // Replies take blocks too, so that the agent's own calls may push its first page out again.
    await()
        .atMost(LONGEST)
        .until(() -> {
          if (status().state() == AgentState.SUSPENDED) {
            read("helper", own);
          }
          return run.result().toCompletableFuture().isDone();
        });
    AgentRun result = result(run);
    assertThat(result.status()).as(result.toString()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(result.stats().steps()).isEqualTo(reading.size() + 1);
  }

  @Test
  void anAgentAtRestIsUnloadedAndTakesItsWorkUpWhenItsPagesAreBack() {
    assertThat(result(run(bound, "first", own)).status()).isEqualTo(AgentRun.Status.COMPLETED);
    await().atMost(LONGEST).until(() -> resident(own.get(0)) && resident(own.get(1)));
    fill();
    awaitState(AgentState.UNLOADED);

    RunHandle waiting = run(bound, "second", own);
    read("other", List.of(pages.getLast()));
    assertThat(waiting.result().toCompletableFuture()).isNotDone();
    assertThat(status().state()).isEqualTo(AgentState.UNLOADED);

    read("helper", own);
    assertThat(result(waiting).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  /** Reads more pages than the cache keeps, so that the bound agent's first one goes. */
  private void fill() {
    read("filler", pages.subList(2, pages.size()));
    await().atMost(LONGEST).until(() -> !resident(own.get(0)));
  }

  private boolean resident(PageId page) {
    return !table.snapshot().replicasWith(page).isEmpty();
  }

  private void awaitState(AgentState state) {
    await().atMost(LONGEST).until(() -> status().state() == state);
  }

  private AgentStatus status() {
    return bound.state().toCompletableFuture().join().orElseThrow();
  }

  private void read(String name, List<PageId> of) {
    AgentHandle reader =
        colony.spawn(new AgentId("t", "c", name), READER).toCompletableFuture().join();
    String run = name + "-" + System.nanoTime();
    assertThat(result(run(reader, run, of)).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  private static RunHandle run(AgentHandle agent, String id, List<PageId> of) {
    ObjectNode input =
        JsonNodeFactory.instance.objectNode().put("question", "Where is the kettle?");
    ArrayNode array = input.putArray("pages");
    of.forEach(page -> array.add(page.value()));
    return agent.run(input, RunOptions.namespace("test").runId(new RunId(id)).timeout(LONGEST));
  }

  private static AgentRun result(RunHandle run) {
    return run.result().toCompletableFuture().join();
  }
}
