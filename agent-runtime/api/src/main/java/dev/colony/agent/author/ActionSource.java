package dev.colony.agent.author;

/**
 * A capability whose actions its class does not declare: those of a server that it is connected to,
 * say. A class has either such actions or {@link ActionExecutor} methods. What a blueprint includes
 * or excludes of them is not checked before the agent works: an unknown key is of no account.
 */
public interface ActionSource {

  /** Asked for once, after {@link AgentCapability#restore}; named as the capability's key is. */
  ActionProvider actions();
}
