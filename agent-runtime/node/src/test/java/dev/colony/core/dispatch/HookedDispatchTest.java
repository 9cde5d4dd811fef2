package dev.colony.core.dispatch;

import static dev.colony.core.dispatch.Dispatching.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.Hookable;
import dev.colony.agent.author.Param;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.capability.AgentHooks;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.capability.Weaver;
import dev.colony.node.NodePorts;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hooks of the agent see every dispatch, and the calls of methods that are hookable. */
class HookedDispatchTest {

  static class Doubling extends AgentCapability {

    Doubling(CapabilityContext context) {
      super(context);
    }

    @Hookable
    @ActionExecutor
    int twice(@Param("to double") int number) {
      return 2 * number;
    }

    @ActionExecutor
    int fails() {
      throw new IllegalStateException("no number");
    }
  }

  private final HookRegistry hooks = new AgentHooks();
  private final TestAgent agent =
      new TestAgent(
          new AgentId("acme", "lab", "a1"),
          new InMemoryBlackboards(),
          (name, call) -> "",
          NodePorts.none(),
          hooks);
  private final List<String> seen = new ArrayList<>();
  private Dispatching run;

  @BeforeEach
  void equip() throws Exception {
    agent.with(
        Weaver.construct(
            Doubling.class.getDeclaredConstructor(CapabilityContext.class),
            agent.capabilityContext("d")));
    run = Dispatching.of(agent);
  }

  @Test
  void hooksStandAroundTheDispatchAndTheMethod() {
    hooks.add(AgentHook.before("b", "ActionDispatcher.dispatch", call -> seen.add("before")));
    hooks.add(
        AgentHook.after(
            "a",
            "ActionDispatcher.dispatch",
            (call, result, failure) -> seen.add("after " + ((ActionResult) result).output())));
    hooks.add(
        AgentHook.after("m", "Doubling.twice", (call, result, failure) -> seen.add("m " + result)));
    assertThat(run.act("x", "d.twice", "{'number':4}").output().asInt()).isEqualTo(8);
    assertThat(seen).containsExactly("before", "m 8", "after 8");
  }

  @Test
  void aHookMayAnswerInPlaceOfTheMethod() {
    hooks.add(AgentHook.around("r", "Doubling.twice", (call, proceed) -> 100));
    assertThat(run.act("x", "d.twice", "{'number':4}").output().asInt()).isEqualTo(100);
  }

  @Test
  void aHookThatFailsIsTheActionsFailure() {
    hooks.add(
        AgentHook.before(
            "b",
            "ActionDispatcher.dispatch",
            call -> {
              throw new IllegalStateException("not on my watch");
            }));
    ActionResult result = run.act("x", "d.twice", "{'number':4}");
    assertThat(result.status()).isEqualTo(Status.FAILED);
    assertThat(result.error()).contains("not on my watch");
  }

  @Test
  void hooksSeeWhatWasRefusedWhatFailedAndWhatACrashCutOff() {
    hooks.add(
        AgentHook.after(
            "a",
            "ActionDispatcher.dispatch",
            (call, result, failure) -> seen.add(((ActionResult) result).status().name())));
    run.act("x", "d.twice", "{}");
    run.act("y", "d.fails", "{}");
    run.dispatcher.finish(Action.of("z", "d.twice", json("{'number':1}")), false);
    run.dispatcher.finish(Action.of("w", "d.twice", json("{'number':1}")), true);
    assertThat(seen).containsExactly("REFUSED", "FAILED", "INTERRUPTED", "SUCCEEDED");
  }

  @Test
  void aWovenClassIsReadAsTheOneThatItWasMadeOf() {
    assertThat(CapabilityType.of(Weaver.weave(Doubling.class)))
        .isSameAs(CapabilityType.of(Doubling.class));
  }
}
