package dev.colony.node.entity;

import static dev.colony.node.entity.JournaledAgents.join;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.fixture.Workbench;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An agent whose blueprint was bound by one release is recovered by a node of another. */
class OtherReleaseTest {

  private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();

  private final JournaledAgents world = new JournaledAgents("");
  private final AgentId id = world.id("dated");

  /** So many actions, one a step. */
  abstract static class Plan extends BaseActionPolicy {

    static final String TYPE = "test.plan";

    private final int actions;

    Plan(PolicyContext context, int actions) {
      super(context);
      this.actions = actions;
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int done = state.history().size();
      return done == actions
          ? Decision.Complete.with(JsonNodeFactory.instance.numberNode(done))
          : new Decision.Act(
              Action.of("a" + done, Workbench.INTERNAL, JsonNodeFactory.instance.objectNode()));
    }
  }

  @Registered(Plan.TYPE)
  static final class First extends Plan {

    record Args(int steps) {}

    First(PolicyContext context, Args args) {
      super(context, args.steps());
    }
  }

  @Registered(value = Plan.TYPE, version = 2)
  static final class Second extends Plan {

    record Args(int actions) {}

    Second(PolicyContext context, Args args) {
      super(context, args.actions());
    }
  }

  private static final TypeProvider FIRST =
      types -> {
        types.add(First.class);
        types.add(Workbench.class);
      };
  private static final TypeProvider SECOND =
      types -> {
        types.add(Second.class);
        types.add(Workbench.class);
      };
  private static final TypeProvider SECOND_WITH_UPCASTER =
      types -> {
        types.add(
            Second.class,
            (version, args) ->
                JsonNodeFactory.instance.objectNode().put("actions", args.path("steps").asInt()));
        types.add(Workbench.class);
      };

  @AfterEach
  void end() {
    world.close();
  }

  @Test
  void aNewerReleaseWithAnUpcasterGoesOnInTheMiddleOfTheRun() throws Exception {
    leaveInTheMiddle(1, "{\"steps\":2}", FIRST);
    world.start(id, "newer", SECOND_WITH_UPCASTER);
    assertThat(world.result(id, "r1").output().asInt()).isEqualTo(2);
  }

  @Test
  void aNewerReleaseWithoutOneRefusesClearlyAndLosesNothing() throws Exception {
    leaveInTheMiddle(1, "{\"steps\":2}", FIRST);
    assertWaits(SECOND, "version 1 of test.plan is no longer understood");
    world.start(id, "mended", SECOND_WITH_UPCASTER);
    assertThat(world.result(id, "r1").output().asInt()).isEqualTo(2);
  }

  /** As in the middle of a rolling update, or behind one that was taken back. */
  @Test
  void anOlderReleaseRefusesClearlyAndLosesNothing() throws Exception {
    leaveInTheMiddle(2, "{\"actions\":2}", SECOND);
    assertWaits(FIRST, "test.plan is known here up to version 1, not 2");
    world.start(id, "newer", SECOND);
    assertThat(world.result(id, "r1").output().asInt()).isEqualTo(2);
  }

  @Test
  void aReleaseThatDoesNotHaveTheTypeRefusesClearlyAndLosesNothing() throws Exception {
    leaveInTheMiddle(1, "{\"steps\":2}", FIRST);
    assertWaits(
        types -> types.add(Workbench.class), "no ActionPolicy test.plan is registered here");
    world.start(id, "newer", FIRST);
    assertThat(world.result(id, "r1").output().asInt()).isEqualTo(2);
  }

  /** The agent has done one of two actions and is in the other, and its node is gone. */
  private void leaveInTheMiddle(int version, String args, TypeProvider release) throws Exception {
    JsonNode json = new com.fasterxml.jackson.databind.ObjectMapper().readTree(args);
    AgentBlueprint what =
        AgentBlueprint.of(new Blueprint(Plan.TYPE, version, json), Blueprint.of(Workbench.TYPE));
    join(world.directory.enter(id, 0, what));
    world.types.hold("a1");
    ActorRef<AgentMessage> before = world.start(id, "before", release);
    assertThat(world.accept(before, id, "r1", NOTHING)).isEqualTo(new AcceptReply.Accepted());
    assertThat(world.types.begun.poll(20, TimeUnit.SECONDS)).endsWith("/a0");
    assertThat(world.types.begun.poll(20, TimeUnit.SECONDS)).endsWith("/a1");
    world.stop(before);
    world.types.releaseAll();
  }

  private void assertWaits(TypeProvider release, String why) {
    ActorRef<AgentMessage> unfit = world.start(id, "unfit", release);
    assertThat(world.accept(unfit, id, "r2", NOTHING))
        .isInstanceOfSatisfying(
            AcceptReply.Rejected.class,
            rejected -> assertThat(rejected.reason()).contains(why).doesNotContain("\n"));
    assertThat(world.accept(unfit, id, "r1", NOTHING)).isEqualTo(new AcceptReply.Accepted());
    var stands = world.look(id);
    assertThat(stands.runs()).hasSize(1);
    assertThat(stands.openRun().orElseThrow().actions()).hasSize(1);
    world.stop(unfit);
    assertThat(world.look(id).sequenceNr()).isEqualTo(stands.sequenceNr());
    assertThat(world.types.begun).isEmpty();
  }
}
