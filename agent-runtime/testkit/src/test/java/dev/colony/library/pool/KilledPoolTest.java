package dev.colony.library.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.ClusterNodes;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import dev.colony.library.pool.PoolPolicy.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Four workers fill a thousand orders on three nodes, which are killed again and again, those that
 * hold the pool or a worker among them: each order is filled, and paid once.
 */
@Tag("faults")
class KilledPoolTest {

  private static final int ITEMS = 1_000;
  private static final int WORKERS = 4;
  private static final int NODES = 3;
  private static final int KILLS = 4;

  private final ClusterNodes nodes = new ClusterNodes(ShopNode.class, NODES, (node, line) -> {});

  @AfterEach
  void stop() {
    nodes.close();
  }

  @Test
  @Timeout(900)
  void eachItemIsDoneAndPaidOnce() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Colony colony = nodes.colony();
    AgentHandle pool =
        colony
            .spawn(
                new AgentId("acme", "shop", "orders"),
                PoolPolicy.pool(ShopNode.POOL, Terms.USUAL.lease(Duration.ofMinutes(2))))
            .get(60, TimeUnit.SECONDS);
    for (int i = 0; i < WORKERS; i++) {
      colony
          .spawn(new AgentId("acme", "shop", "clerk-" + i), ShopNode.clerk())
          .get(60, TimeUnit.SECONDS);
    }
    List<RunHandle> runs = new ArrayList<>();
    RunOptions options =
        RunOptions.namespace("pool")
            .protocol(new WorkAssignmentProtocol())
            .scope(ScopeLevel.COLONY);
    for (int i = 0; i < ITEMS; i++) {
      runs.add(pool.run(i, options.runId(new RunId("order-" + i))));
    }
    int wanted = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      wanted += 1 + random.nextInt(ITEMS / KILLS - 1);
      int enough = wanted;
      await()
          .pollInterval(100, TimeUnit.MILLISECONDS)
          .atMost(Duration.ofMinutes(3))
          .until(() -> count(ShopNode.OUTSIDE, ShopNode.PAID) >= enough);
      int victim = random.nextInt(NODES);
      nodes.kill(victim);
      nodes.startAgain(victim);
    }
    for (int i = 0; i < ITEMS; i++) {
      AgentRun ended = runs.get(i).result().get(300, TimeUnit.SECONDS);
      assertThat(ended.error()).as("order %d\n%s", i, nodes.said()).isEmpty();
      assertThat(ended.runId()).isEqualTo(new RunId("order-" + i));
      assertThat(ended.output()).isEqualTo(IntNode.valueOf(i));
    }
    List<Entry> asked = entries(ShopNode.OUTSIDE, ShopNode.ASKED);
    long times = asked.stream().mapToLong(Entry::version).sum();
    System.out.printf(
        "%d payments asked for under %d keys for %d items%n", times, asked.size(), ITEMS);
    assertThat(entries(ShopNode.OUTSIDE, ShopNode.PAID))
        .hasSize(ITEMS)
        .allMatch(paid -> paid.version() == 1);
    assertThat(entries(ShopNode.POOL, "result:work:"))
        .hasSize(ITEMS)
        .allMatch(result -> result.version() == 1);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(entries(ShopNode.POOL, "item:")).isEmpty());
  }

  private int count(Scope scope, String prefix) {
    return entries(scope, prefix).size();
  }

  private List<Entry> entries(Scope scope, String prefix) {
    return nodes
        .blackboards()
        .open(scope, "test")
        .queryAll(Query.keys(prefix + "*").limit(1_000))
        .toCompletableFuture()
        .join();
  }
}
