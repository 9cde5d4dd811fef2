package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Workbench;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.core.lifecycle.AgentEvent;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When an agent's capabilities and its policy are made, and what they know when they are. */
class ActivationTest extends LiveFixture {

  private static final String ACTED = Workbench.TYPE + ".internal";

  @Test
  void nothingIsMadeBeforeThereIsWork() {
    spawn(TestTypes.hearing(scope));
    await().until(() -> !journaled(AgentEvent.ScopesWatched.class).isEmpty());
    await().until(() -> !node.holds(id));
    assertThat(types.made).hasValue(0);
    result(agent.run(TestTypes.input(1, "internal"), options("r1")));
    assertThat(types.made).hasValue(1);
  }

  @Test
  void whatIsDroppedAtRestIsMadeAgainWithWhatItKept() {
    // A service stays in memory, so that nothing but rest makes it drop anything.
    spawn(TestTypes.BLUEPRINT.kind(AgentKind.SERVICE));
    result(agent.run(TestTypes.input(2, "internal"), options("r1")));
    await().until(() -> !journaled(AgentEvent.ResultPublished.class).isEmpty());
    assertThat(types.restored).isEmpty();
    result(agent.run(TestTypes.input(1, "internal"), options("r2")));
    assertThat(journaled(AgentEvent.Claimed.class)).hasSize(1);
    assertThat(types.made).hasValue(2);
    assertThat(types.restored).containsExactly(JsonNodeFactory.instance.numberNode(2));
  }

  @Test
  void streamsAndSnapshotsAreKeptAcrossASuspension() {
    spawn(TestTypes.reactive(scope).stream(deeds()));
    RunHandle run = run("r1", input("act", ACTED));
    awaitBlocked();
    now(agent.suspend(""));
    await().until(() -> !node.holds(id));
    alarm("fire");
    now(agent.resume(""));
    assertThat(result(run).output().path("deeds").asText()).contains(ACTED);
    assertThat(types.restored).contains(JsonNodeFactory.instance.numberNode(1));
    AgentRun later = result(run("r2", input("complete", "yes")));
    assertThat(later.output().path("deeds").asText()).contains(ACTED);
  }

  @Test
  void anAgentThatCannotBeBuiltAnswersEachRunWithTheReasonAndMakesNothing() {
    spawn(TestTypes.BLUEPRINT.capability(CapabilityBlueprint.of(Blueprint.of("test.nonsense"))));
    for (String runId : new String[] {"r1", "r2"}) {
      AgentRun run = result(agent.run(TestTypes.input(1, "internal"), options(runId)));
      assertThat(run.status()).isEqualTo(Status.FAILED);
      assertThat(run.error().orElseThrow())
          .contains("the agent cannot work on this node", "test.nonsense is registered here");
    }
    assertThat(types.made).hasValue(0);
  }

  @Test
  void aServiceStaysWhereOthersLeave() {
    spawn(TestTypes.BLUEPRINT.kind(AgentKind.SERVICE));
    result(agent.run(TestTypes.input(1, "internal"), options("r1")));
    await().until(() -> !journaled(AgentEvent.ResultPublished.class).isEmpty());
    var service = id;
    fresh();
    spawn(TestTypes.BLUEPRINT);
    result(agent.run(TestTypes.input(1, "internal"), options("r1")));
    await().until(() -> !node.holds(id));
    assertThat(node.holds(service)).isTrue();
  }

  @Test
  void aServiceThatIsStoppedLeaves() {
    spawn(TestTypes.BLUEPRINT.kind(AgentKind.SERVICE));
    await().until(() -> node.holds(id));
    now(agent.stop("enough"));
    awaitMoved(AgentState.STOPPED);
    await().until(() -> !node.holds(id));
  }

  /** A stream of the actions of the workbench. */
  private static StreamBlueprint deeds() {
    return new StreamBlueprint(
        "deeds",
        new Blueprint(
            "stream.json",
            JsonNodeFactory.instance
                .objectNode()
                .put("sectionTitle", "Deeds")
                .put("maxValueLength", 100)),
        Map.of(
            StreamEntry.ACTION,
            new Blueprint(
                "stream.action-key-substring",
                JsonNodeFactory.instance
                    .objectNode()
                    .set("substrings", JsonNodeFactory.instance.arrayNode().add("work")))),
        5);
  }
}
