package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.OpenEars;
import dev.colony.agent.fixture.Reactive;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Workbench;
import dev.colony.core.lifecycle.AgentEvent;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs that wait: for events, for children, for nothing that ever comes. */
class BlockedRunTest extends LiveFixture {

  @Test
  void anEventWakesTheRunThatWaitsForIt() {
    spawn(TestTypes.reactive(scope));
    RunHandle run = run("r1", input("wait", "yes"));
    awaitBlocked();
    alarm("fire");
    AgentRun ended = result(run);
    assertThat(ended.status()).isEqualTo(Status.COMPLETED);
    assertThat(ended.output().at("/heard/0/alarm").asText()).isEqualTo("alarm:fire");
    assertThat(journaled(AgentEvent.RunAccepted.class)).hasSize(1);
  }

  @Test
  void aRunStillWaitsForItsEventAfterASuspension() {
    spawn(TestTypes.reactive(scope));
    RunHandle run = run("r1", input("wait", "yes"));
    awaitBlocked();
    now(agent.suspend(""));
    await().until(() -> !node.holds(id));
    alarm("fire");
    now(agent.resume(""));
    assertThat(result(run).output().at("/heard/0/alarm").asText()).isEqualTo("alarm:fire");
  }

  @Test
  void theEndOfAChildWakesTheRunThatWaitsForIt() {
    spawn(TestTypes.reactive(scope));
    String name = id.name() + "-child";
    RunHandle run = run("r1", input("child", name));
    awaitBlocked();
    now(node.colony().agent(new AgentId("acme", "lives", name)).stop("it is done"));
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);
  }

  @Test
  void aStoppedParentStopsTheChildThatItWaitsFor() {
    spawn(TestTypes.reactive(scope));
    String name = id.name() + "-child";
    RunHandle run = run("r1", input("child", name));
    awaitBlocked();
    now(agent.stop("enough"));
    assertThat(result(run).status()).isEqualTo(Status.CANCELLED);
    var child = node.colony().agent(new AgentId("acme", "lives", name));
    await().until(() -> now(child.state()).filter(status -> status.state().terminal()).isPresent());
  }

  @Test
  void theTimeOfARunEndsItWhileItWaits() {
    spawn(hasty(TestTypes.reactive(scope)));
    AgentRun run = result(run("r1", input("wait", "yes")));
    awaitBlocked();
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow()).contains("longer than PT2S");
  }

  @Test
  void theTimeOfARunEndsItWhileAnIterationHangsAndTheAgentGoesOn() throws Exception {
    spawn(hasty(TestTypes.reactive(scope)));
    RunHandle run = run("r1", input("hang", "yes"));
    assertThat(begun()).isEqualTo("hang");
    assertThat(result(run).error().orElseThrow()).contains("longer than PT2S");
    AgentRun next = result(run("r2", input("complete", "yes")));
    assertThat(next.status()).isEqualTo(Status.COMPLETED);
  }

  @Test
  void eventsThatNobodyWaitsForAreARunOfTheirOwn() {
    spawn(TestTypes.reactive(scope));
    await().until(() -> !journaled(AgentEvent.ScopesWatched.class).isEmpty());
    alarm("fire");
    await().until(() -> !journaled(AgentEvent.ResultPublished.class).isEmpty());
    AgentRun run = journaled(AgentEvent.RunCompleted.class).getFirst().run();
    assertThat(run.output().at("/heard/0/alarm").asText()).isEqualTo("alarm:fire");
  }

  @Test
  void aRunOfEventsThatLeadToNothingEndsWithNothing() {
    spawn(
        AgentBlueprint.of(Blueprint.of(Reactive.TYPE), Blueprint.of(Workbench.TYPE))
            .capability(CapabilityBlueprint.of(Blueprint.of(OpenEars.TYPE)).scope(scope)));
    await().until(() -> !journaled(AgentEvent.ScopesWatched.class).isEmpty());
    alarm("fire");
    await().until(() -> !journaled(AgentEvent.ResultPublished.class).isEmpty());
    AgentRun run = journaled(AgentEvent.RunCompleted.class).getFirst().run();
    assertThat(run.status()).isEqualTo(Status.COMPLETED);
    assertThat(run.output()).isEqualTo(JsonNodeFactory.instance.nullNode());
  }

  private static AgentBlueprint hasty(AgentBlueprint blueprint) {
    return blueprint.budget(
        new RunBudget(
            Optional.empty(),
            Optional.of(Duration.ofSeconds(2)),
            Optional.empty(),
            Optional.empty()));
  }
}
