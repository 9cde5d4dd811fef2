package dev.colony.node.entity;

import dev.colony.agent.AgentState;
import dev.colony.node.AgentListener;
import java.util.Optional;

/** Tells in which state an agent is while it is in memory. Used by the agent's actor only. */
final class StateGauge {

  private final AgentListener listener;
  private Optional<AgentState> told = Optional.empty();

  StateGauge(AgentListener listener) {
    this.listener = listener;
  }

  /** The agent is here, in this state. */
  void is(AgentState state) {
    if (told.isEmpty()) {
      listener.arrived(state);
    } else if (told.get() != state) {
      listener.moved(told.get(), state);
    } else {
      return;
    }
    told = Optional.of(state);
  }

  /** The agent is here no more. */
  void ends() {
    told.ifPresent(listener::left);
    told = Optional.empty();
  }
}
