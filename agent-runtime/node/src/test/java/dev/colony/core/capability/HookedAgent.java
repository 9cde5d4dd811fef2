package dev.colony.core.capability;

import dev.colony.agent.AgentId;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.node.NodePorts;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;

/** Agents with hooks, for the tests of this package and those below it. */
public final class HookedAgent {

  private HookedAgent() {}

  /** An empty registry with the usual bounds. */
  public static HookRegistry registry() {
    return new AgentHooks();
  }

  /** An empty registry whose hooks may take so long. */
  static HookRegistry registry(Duration timeout) {
    return new AgentHooks(timeout, 256);
  }

  /** An agent with a registry. */
  public static TestAgent with(HookRegistry hooks) {
    return new TestAgent(
        new AgentId("acme", "lab", "hooked"),
        new InMemoryBlackboards(),
        (name, call) -> "yes",
        NodePorts.none(),
        hooks);
  }
}
