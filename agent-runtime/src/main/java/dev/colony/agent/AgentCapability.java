package dev.colony.agent;

import java.util.Map;

/** A part of an agent that can do things, made by a registered factory on the owning node. */
public interface AgentCapability {

  /** Its actions by the key under which policies choose them; read once. */
  Map<String, ActionExecutor> actions();
}
