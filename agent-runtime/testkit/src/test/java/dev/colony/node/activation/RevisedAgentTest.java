package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Workbench;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.inference.InferenceGateway;
import dev.colony.testkit.InstantModel;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents that get and lose capabilities while they live. */
@Timeout(60)
class RevisedAgentTest extends PlayedAgentFixture {

  private static final CapabilityBlueprint BENCH =
      CapabilityBlueprint.of(Blueprint.of(Workbench.TYPE));

  @Test
  void aCapabilityThatIsAddedCanBeUsedFromTheNextStepOnAndOneThatIsGoneNot() {
    String slow = id.name();
    CountDownLatch held = types.hold(slow);
    PlayedPolicy.play(
        id.name(),
        (context, state) -> {
          if (state.iterationNum() < 3) {
            Action action =
                Action.of(
                    state.iterationNum() == 0 ? slow : "a" + state.iterationNum(),
                    (state.iterationNum() == 2 ? Workbench.TYPE : "bench") + ".internal",
                    null);
            ActionResult result = context.dispatcher().dispatch(action);
            return ActionPolicyIterationResult.acted(action, result);
          }
          return ActionPolicyIterationResult.completed(
              ActionPolicyOutput.of(
                  JsonNodeFactory.instance.textNode(
                      state.history().stream()
                          .map(call -> call.result().status())
                          .toList()
                          .toString())));
        });
    AgentHandle agent =
        spawn(AgentBlueprint.of(Blueprint.of(PlayedPolicy.TYPE)).capability(BENCH.key("bench")));
    RunHandle run = run(agent, "r1");
    await().until(() -> begun(slow));
    agent
        .revise(
            new BlueprintChange(Optional.empty(), List.of(BENCH), Set.of("bench")), "another bench")
        .join();
    await().until(() -> events().stream().anyMatch(AgentEvent.BlueprintRevised.class::isInstance));
    held.countDown();
    AgentRun ended = result(run);
    // The step that was under way had the old bench to its end; then there is only the new one.
    assertThat(ended.output().asText()).isEqualTo("[SUCCEEDED, REFUSED, SUCCEEDED]");
  }

  @Test
  void aTypeThatTheNodeDoesNotKnowChangesNothing() {
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            ActionPolicyIterationResult.completed(
                ActionPolicyOutput.of(IntNode.valueOf(context.agent().capabilities().size()))));
    AgentHandle agent = spawn(PlayedPolicy.BLUEPRINT);
    agent
        .revise(BlueprintChange.adding(CapabilityBlueprint.of(Blueprint.of("never.heard.of"))), "")
        .join();
    agent.revise(BlueprintChange.adding(BENCH.key("second")), "").join();
    await().until(() -> events().stream().anyMatch(AgentEvent.BlueprintRevised.class::isInstance));
    assertThat(result(run(agent, "r1")).output().asInt()).isEqualTo(2);
  }

  @Test
  void theDirectoryKnowsTheOriginalAndTheRevisedBlueprint() {
    AgentHandle agent = node.colony().spawn(id, PlayedPolicy.BLUEPRINT).join();
    agent.revise(BlueprintChange.adding(BENCH.key("second")), "").join();
    await().until(() -> entry().revised().isPresent());
    assertThat(entry().original()).isEqualTo(PlayedPolicy.BLUEPRINT);
    AgentBlueprint revised = entry().blueprint();
    assertThat(revised.capabilities()).endsWith(BENCH.key("second"));
    node.colony().spawn(id, PlayedPolicy.BLUEPRINT).join();
    assertThatThrownBy(() -> node.colony().spawn(id, revised).join())
        .hasMessageContaining("exists with another blueprint");
    agent.revise(BlueprintChange.removing("second"), "").join();
    await().until(() -> entry().blueprint().equals(PlayedPolicy.BLUEPRINT));
  }

  private DirectoryEntry entry() {
    return new AgentDirectory(boards).find(id).toCompletableFuture().join().orElseThrow();
  }

  @Test
  void whatTheAgentHearsFollows() {
    Scope scope = Scope.session("test", "test", "shared");
    CapabilityBlueprint ears =
        TestTypes.hearing(scope).capabilities().stream()
            .filter(one -> !one.what().type().equals(Workbench.TYPE))
            .findFirst()
            .orElseThrow();
    try (TestAgent agent =
        TestAgent.of(TestTypes.BLUEPRINT)
            .onlyTypes(types)
            .service(TestTypes.class, types)
            .service(InferenceGateway.class, new InstantModel())
            .start()) {
      write(agent, scope);
      assertThat(agent.journal()).doesNotContain("events-noticed");
      agent.handle().revise(BlueprintChange.adding(ears), "it is to hear").join();
      agent.settle();
      write(agent, scope);
      assertThat(agent.journal()).containsOnlyOnce("events-noticed", "blueprint-revised");
      agent.crash();
      agent
          .handle()
          .revise(BlueprintChange.removing(ears.capabilityKey()), "it has heard enough")
          .join();
      agent.settle();
      write(agent, scope);
      assertThat(agent.journal()).containsOnlyOnce("events-noticed");
    }
  }

  private static void write(TestAgent agent, Scope scope) {
    agent.blackboard(scope).write(Write.value("alarm:fire", 1)).toCompletableFuture().join();
    agent.settle();
  }
}
