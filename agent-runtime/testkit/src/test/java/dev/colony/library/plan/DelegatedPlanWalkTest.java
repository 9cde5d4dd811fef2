package dev.colony.library.plan;

import static dev.colony.library.plan.PlanScript.action;
import static dev.colony.library.plan.PlanScript.plan;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.library.plan.PlanOnTwoNodesTest.Courier;
import dev.colony.library.plan.PlanOnTwoNodesTest.Letter;
import dev.colony.library.plan.PlanOnTwoNodesTest.Site;
import dev.colony.node.NodeBounds;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestColony;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The node dies at each write to the journal of a parent or of the child that carries out a part of
 * its plan; the next node ends both.
 */
@Tag("faults")
class DelegatedPlanWalkTest {

  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(2)).runId(new RunId("r1"));

  private static AgentBlueprint courier() {
    return AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE))
        .capability(CapabilityBlueprint.of(Blueprint.of("test.courier")));
  }

  private static ObjectNode letter(String name, String text) {
    return action(name, "courier.send", Map.of("text", text));
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverTheNodeDiesThePartIsDoneOnce(KillPoint.Side side) {
    int writes = KillPoint.walk(side, DelegatedPlanWalkTest::trial);
    System.out.println("walked " + writes + " writes, " + side);
    assertThat(writes).isGreaterThan(15);
  }

  private static void trial(KillPoint kill) {
    ObjectNode part =
        JsonNodeFactory.instance
            .objectNode()
            .put("name", "c")
            .put("goal", "send the second letter")
            .put("delegate", "courier");
    part.putArray("after").add("a");
    List<Letter> sent = new CopyOnWriteArrayList<>();
    try (FakeModel model = FakeModel.start()) {
      model
          .expect("Plan how your goals are reached.", "- Send three")
          .anyTimes()
          .calls(
              "plan",
              plan(letter("a", "first"), part, letter("e", "$results.c"))
                  .put("result", "$results.e"));
      model
          .expect("Plan how your goals are reached.", "- send the second letter")
          .anyTimes()
          .calls("plan", plan(letter("x", "second")).put("result", "$results.x"));
      try (TestColony colony =
          TestColony.inMemory()
              .types(types -> types.add(Courier.class))
              .service(Site.class, new Site("here", sent))
              .service(NodeBounds.class, DelegatedPlanTest.QUICK)
              .model(model)
              .killed(kill)
              .start()) {
        AgentId id = new AgentId(TestColony.NAME, TestColony.NAME, "boss");
        AgentBlueprint boss =
            courier().capability(CapabilityBlueprint.of(PlanScript.children("courier", courier())));
        RunHandle run = colony.spawn("boss", boss).run(Map.of("goals", "Send three"), OPTIONS);
        LiveFixture.now(run.stored());
        AgentRun ended = result(colony, id);
        assertThat(ended.error()).as("killed %s", kill).isEmpty();
        assertThat(ended.output().asText()).isEqualTo("second");
        // One that died before its end was journaled is sent again under the same key.
        assertThat(sent.stream().map(Letter::key).distinct())
            .as("killed %s: %s", kill, sent)
            .hasSize(3);
        assertThat(sent).hasSizeLessThanOrEqualTo(4);
        assertThat(ended.stats().modelCalls()).isEqualTo(1);
      }
    }
  }

  /** A handle of a node that has died says nothing more. */
  private static AgentRun result(TestColony colony, AgentId id) {
    LiveFixture.await()
        .ignoreExceptions()
        .until(() ->
            LiveFixture.now(colony.colony().agent(id).ended(new RunId("r1"), OPTIONS)).isPresent());
    return LiveFixture.now(colony.colony().agent(id).ended(new RunId("r1"), OPTIONS)).orElseThrow();
  }
}
