package dev.colony.agent.author;

import dev.colony.agent.stream.ConsciousnessStream;
import java.util.List;
import java.util.Objects;

/**
 * What the owning node gives to an agent's policy.
 *
 * @param streams in the order of the blueprint; they hold no entries themselves
 */
public record PolicyContext(
    Agent agent,
    ActionDispatcher dispatcher,
    List<ConsciousnessStream> streams,
    PolicySettings settings) {

  public PolicyContext {
    Objects.requireNonNull(agent, "agent");
    Objects.requireNonNull(dispatcher, "dispatcher");
    Objects.requireNonNull(settings, "settings");
    streams = List.copyOf(streams);
  }

  /** With the default settings. */
  public PolicyContext(
      Agent agent, ActionDispatcher dispatcher, List<ConsciousnessStream> streams) {
    this(agent, dispatcher, streams, PolicySettings.DEFAULTS);
  }
}
