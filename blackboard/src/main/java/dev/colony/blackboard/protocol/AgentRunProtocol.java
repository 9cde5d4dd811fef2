package dev.colony.blackboard.protocol;

/**
 * The runs of an agent, on the agent's own scope: {@code request:run:{id}}, {@code
 * event:run:{id}:{name}}, {@code result:run:{id}}. The request is sent with {@link
 * dev.colony.blackboard.Blackboard#send}; the result is written once.
 */
public final class AgentRunProtocol extends RequestProtocol {

  public AgentRunProtocol() {
    super("request:run:{id}", "result:run:{id}", "event:run:{id}:{name}");
  }
}
