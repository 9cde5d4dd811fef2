package dev.colony.library.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.pool.PoolPolicy.PoolTypes;
import dev.colony.library.pool.PoolPolicy.Terms;
import dev.colony.library.pool.PoolWorkerCapability.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A pool and its workers on one node. */
class PoolTest extends LiveFixture {

  @Override
  @BeforeAll
  public void start() {
    node =
        LocalNode.of(boards, types)
            .types(AgentTypes.of(List.of(types, new PoolTypes())))
            .settings(settings())
            .start();
  }

  @Test
  void workersClaimItemsByLoadAndEachIsDoneOnce() {
    AgentHandle pool = pool("p1", Terms.USUAL);
    workers(pool, 3, Share.ONE);
    types.hold("a1");
    RunHandle slow = ask(pool, "slow", 2);
    await().until(() -> types.begun.stream().anyMatch(key -> key.endsWith("slow.1/1/a1")));
    Map<String, RunHandle> quick = new TreeMap<>();
    for (int i = 0; i < 20; i++) {
      quick.put("item-" + i, ask(pool, "item-" + i, 1));
    }
    quick.forEach((id, run) -> {
      AgentRun ended = result(run);
      assertThat(ended.status()).as("%s", ended).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(ended.runId()).isEqualTo(new RunId(id));
      assertThat(ended.output().asText()).isEqualTo("a0=SUCCEEDED");
    });
    types.releaseAll();
    assertThat(result(slow).output().asText()).isEqualTo("a0=SUCCEEDED a1=SUCCEEDED");
    // 20 items of one action and one of two: no action has begun twice.
    assertThat(types.begun).hasSize(22).doesNotHaveDuplicates();
    await().until(() -> items(pool).isEmpty());
    // Asked for again under its id it is the same item.
    assertThat(result(ask(pool, "item-3", 1)).runId()).isEqualTo(new RunId("item-3"));
    assertThat(types.begun).hasSize(22);
  }

  @Test
  void aWorkerMayHaveSeveralItemsAtATime() {
    AgentHandle pool = pool("p2", Terms.USUAL);
    workers(pool, 1, new Share(Optional.of(3)));
    types.hold("a0");
    List<RunHandle> runs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      runs.add(ask(pool, "item-" + i, 1));
    }
    await()
        .until(() ->
            items(pool).stream().filter(one -> one.state() == PoolItem.State.CLAIMED).count() == 3
                && items(pool).size() == 5);
    types.releaseAll();
    runs.forEach(run -> assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED));
  }

  @Test
  void anItemThatFailsInEachAttemptIsDeadAndSaysWhy() {
    AgentHandle pool = pool("p3", Terms.USUAL.attempts(1));
    workers(pool, 1, Share.ONE);
    RunHandle run = pool.run(Map.of("goals", 7), options(pool, "bad"));
    AgentRun ended = result(run);
    assertThat(ended.status()).isEqualTo(AgentRun.Status.FAILED);
    assertThat(ended.error().orElseThrow()).startsWith("item bad failed in 1 attempts, the last: ");
    List<PoolItem> left = items(pool);
    assertThat(left).singleElement().matches(one -> one.state() == PoolItem.State.DEAD);
    assertThat(left.getFirst().worker()).isPresent();
    // The worker is free for others.
    assertThat(result(ask(pool, "good", 1)).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  @Test
  void aFullPoolRefusesMore() {
    AgentHandle pool = pool("p4", Terms.USUAL.queue(1));
    types.hold("a0");
    RunHandle waits = ask(pool, "waits", 1);
    await().until(() -> items(pool).size() == 1);
    AgentRun refused = result(ask(pool, "more", 1));
    assertThat(refused.error())
        .contains("the pool is full: 1 items wait in it; ask again in a minute");
    assertThat(result(ask(pool, "x".repeat(101), 1)).error().orElseThrow())
        .contains("at most 100 characters");
    workers(pool, 1, Share.ONE);
    types.releaseAll();
    assertThat(result(waits).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  @Test
  void whatAnotherWorkerHasTakenOverIsNoLongerTheFirstOnes() {
    AgentHandle pool = pool("p5", Terms.USUAL.lease(Duration.ofSeconds(5)));
    List<AgentHandle> workers = workers(pool, 2, Share.ONE);
    types.hold("a1");
    RunHandle run = ask(pool, "long", 2);
    await().until(() -> types.begun.stream().anyMatch(key -> key.endsWith("long.1/1/a1")));
    String first = items(pool).getFirst().worker().orElseThrow();
    AgentHandle lost =
        workers.stream().filter(one -> one.id().name().equals(first)).findFirst().orElseThrow();
    lost.suspend("it is to lose its item").join();
    await().until(() -> types.begun.stream().anyMatch(key -> key.endsWith("long.2/1/a1")));
    assertThat(items(pool).getFirst().worker().orElseThrow()).isNotEqualTo(first);
    types.releaseAll();
    lost.resume("it goes on").join();
    RunOptions own = RunOptions.namespace(pool.id().name());
    AgentRun late = result(lost.attach(new RunId("long.1"), own));
    assertThat(late.error().orElseThrow()).contains("the lease of item long is over");
    assertThat(result(run).status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(items(pool)).isEmpty();
  }

  /** A pool in a namespace of its own name. */
  private AgentHandle pool(String name, Terms terms) {
    AgentId pool = new AgentId("acme", "lives", name);
    return now(node.colony().spawn(pool, PoolPolicy.pool(scope(name), terms)));
  }

  private static Scope scope(String pool) {
    return Scope.colony("acme", "lives").namespace(pool);
  }

  private List<AgentHandle> workers(AgentHandle pool, int count, Share share) {
    AgentBlueprint worker =
        TestTypes.BLUEPRINT.capability(PoolWorkerCapability.of(scope(pool.id().name()), share));
    List<AgentHandle> workers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      AgentId id = new AgentId("acme", "lives", pool.id().name() + "-w" + i);
      workers.add(now(node.colony().spawn(id, worker)));
    }
    return workers;
  }

  private static RunHandle ask(AgentHandle pool, String id, int steps) {
    return pool.run(TestTypes.input(steps, "internal"), options(pool, id));
  }

  private static RunOptions options(AgentHandle pool, String id) {
    return RunOptions.namespace(pool.id().name())
        .protocol(new WorkAssignmentProtocol())
        .scope(ScopeLevel.COLONY)
        .runId(new RunId(id));
  }

  private List<PoolItem> items(AgentHandle pool) {
    Blackboard board = boards.open(scope(pool.id().name()), "test");
    return now(board.queryAll(Query.keys("item:*"))).stream()
        .map(entry -> entry.as(PoolItem.class))
        .toList();
  }
}
