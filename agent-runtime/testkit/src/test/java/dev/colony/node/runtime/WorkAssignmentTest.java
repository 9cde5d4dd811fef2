package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.PoolWorker;
import dev.colony.agent.fixture.Reactive;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import org.junit.jupiter.api.Test;

/** A handle speaks another protocol than that of runs, on a scope that agents share. */
class WorkAssignmentTest extends LiveFixture {

  @Test
  void aCapabilityTakesAUnitThatNamesItsAgentAndAnswersIt() {
    Scope pool = Scope.colony("acme", "lives").namespace("pool");
    spawn(
        AgentBlueprint.of(Blueprint.of(Reactive.TYPE))
            .capability(CapabilityBlueprint.of(Blueprint.of(PoolWorker.TYPE)).scope(pool)));
    RunHandle unit =
        agent.run(
            TextNode.valueOf("unit 1"),
            RunOptions.namespace("pool")
                .protocol(new WorkAssignmentProtocol())
                .scope(ScopeLevel.COLONY));
    AgentRun run = result(unit);
    assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(run.output().asText()).isEqualTo("unit 1");
    assertThat(run.runId()).isEqualTo(unit.runId());
  }
}
