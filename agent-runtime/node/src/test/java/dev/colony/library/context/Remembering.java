package dev.colony.library.context;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.JoinPoint.JoinPoints;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.core.capability.AgentHooks.CapabilityHooks;
import dev.colony.core.capability.HookedAgent;
import dev.colony.core.capability.Weaver;
import dev.colony.library.context.MemoryCapability.MemoryArgs;
import dev.colony.node.NodePorts;
import java.util.Optional;

/** An agent with a memory, woven and hooked as the runtime does it. */
final class Remembering {

  private final HookRegistry hooks = HookedAgent.registry();
  private final TestAgent agent;
  private final MemoryCapability memory;

  Remembering(Blackboards blackboards, MemoryArgs args) throws ReflectiveOperationException {
    agent =
        new TestAgent(
            new AgentId("acme", "lab", "ada"),
            blackboards,
            (name, call) -> "yes",
            NodePorts.none(),
            hooks);
    var blueprint = MemoryCapability.bind(args);
    var context =
        new CapabilityContext(
            Optional.of(agent),
            blueprint.capabilityKey(),
            agent.blackboard(blueprint.scopeFor(agent.id())));
    memory =
        Weaver.construct(
            MemoryCapability.class.getConstructor(CapabilityContext.class, MemoryArgs.class),
            context,
            args);
    CapabilityHooks.add(memory, hooks);
  }

  MemoryCapability memory() {
    return memory;
  }

  HookRegistry hooks() {
    return hooks;
  }

  Remembering run(String id) {
    agent.context(ExecutionContext.of(agent.id(), new RunId(id)));
    return this;
  }

  /** Dispatches an action that ends so, through the hooks. */
  ActionResult dispatch(Action action, ActionResult result) throws Exception {
    return hooks.call(JoinPoints.DISPATCH, agent, this, () -> result, action);
  }

  static JsonNode json(Object value) {
    return ValueMapper.write("test", value);
  }
}
