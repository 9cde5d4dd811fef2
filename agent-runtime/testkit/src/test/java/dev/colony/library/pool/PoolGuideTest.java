package dev.colony.library.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.library.pool.PoolPolicy.Terms;
import dev.colony.library.pool.PoolWorkerCapability.Share;
import dev.colony.testkit.TestColony;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What docs/guides/handles.md shows of pools, run. */
class PoolGuideTest {

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/handles.md#Pools of workers", PoolGuideTest.class);
  }

  @Test
  void invoicesAreSummedUpByAPool() {
    try (TestColony test = TestColony.inMemory().start()) {
      Colony colony = test.colony();
      AgentHandle pool = pool(colony);
      AgentBlueprint policy =
          AgentBlueprint.of(
              ScriptedActionPolicy.class, Script.of(ScriptedRule.first().complete("$sum")));
      workers(colony, policy);
      Map<String, Map<String, Integer>> invoices = new TreeMap<>();
      for (int i = 0; i < 10; i++) {
        invoices.put("invoice-" + i, Map.of("sum", i));
      }
      assertThat(sums(pool, invoices))
          .extracting(run -> run.output().asInt())
          .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }
  }

  private static AgentHandle pool(Colony colony) {
    // guide: pool
    Scope scope = Scope.colony("acme", "billing").namespace("pool");
    AgentHandle pool =
        colony
            .spawn(
                new AgentId("acme", "billing", "invoices"),
                PoolPolicy.pool(scope, Terms.USUAL.lease(Duration.ofMinutes(2)).queue(5_000)))
            .join();
    // guide end
    return pool;
  }

  private static void workers(Colony colony, AgentBlueprint reader) {
    Scope scope = Scope.colony("acme", "billing").namespace("pool");
    // guide: workers
    AgentBlueprint worker = reader.capability(PoolWorkerCapability.of(scope, Share.ONE));
    for (int i = 0; i < 4; i++) {
      colony.spawn(new AgentId("acme", "billing", "reader-" + i), worker).join();
    }
    // guide end
  }

  private static List<AgentRun> sums(AgentHandle pool, Map<String, Map<String, Integer>> invoices) {
    // guide: items
    RunOptions item =
        RunOptions.namespace("pool")
            .protocol(new WorkAssignmentProtocol())
            .scope(ScopeLevel.COLONY);
    List<RunHandle> runs =
        invoices.entrySet().stream()
            .map(one -> pool.run(one.getValue(), item.runId(new RunId(one.getKey()))))
            .toList();
    return runs.stream().map(RunHandle::join).toList();
    // guide end
  }
}
