package dev.colony.node.resumption;

import dev.colony.agent.AgentId;

/** One suspension of one agent, as it stands in the index's keys. */
record SuspensionKey(AgentId agent, long suspension) {

  /** Reads {@link #toString} back. */
  static SuspensionKey parse(String text) {
    int bar = text.lastIndexOf('|');
    return new SuspensionKey(
        AgentId.parse(text.substring(0, bar)), Long.parseLong(text.substring(bar + 1)));
  }

  /** {@code tenant/colony/name|number}: an agent's id holds no bar. */
  @Override
  public String toString() {
    return agent.persistenceId() + "|" + suspension;
  }
}
