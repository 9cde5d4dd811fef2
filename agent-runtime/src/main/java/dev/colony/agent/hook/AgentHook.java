package dev.colony.agent.hook;

/** A hook that is registered with an agent. */
public interface AgentHook {

  /** Names it in errors and lists. */
  String name();
}
