package dev.colony.agent;

import java.util.Map;
import java.util.Set;

/** A part of an agent that can do things, made by a registered factory on the owning node. */
public interface AgentCapability {

  /** Its actions by the key under which policies choose them; read once. */
  Map<String, ActionExecutor> actions();

  /**
   * The writes that wake the agent, wherever it is; what matches starts a run, see {@link
   * EventBatch}. Read once each time that the agent starts, and stored when it differs from what
   * was stored before: so a pattern counts from when the agent was spawned, or where the
   * capability's code came to have it later, from the agent's next start.
   */
  default Set<EventPattern> eventPatterns() {
    return Set.of();
  }
}
