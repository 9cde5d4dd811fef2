package dev.colony.agent.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.blackboard.protocol.LifecycleSignalProtocol;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that an agent is told from outside, as opposed to asked to do: an entry that is sent to
 * its inbox. It is delivered at least once, and whoever takes it makes of the second time the same
 * as of the first.
 */
public sealed interface AgentSignal {

  /** The longest reason that is kept, in characters; the rest of a longer one is cut off. */
  int MAX_REASON = 1_000;

  AgentId agent();

  /** Why, for people; may be empty. */
  String reason();

  /** One that is given by {@link #write writing} an entry to the agent's own scope. */
  sealed interface Given extends AgentSignal {

    /** Where its entry stands. */
    Scope scope();

    /** The key of its entry. */
    String key();

    /** The entry to send to the agent's inbox; {@link AgentSignal#of} reads it back. */
    default Write write() {
      return Write.of(key(), JsonNodeFactory.instance.objectNode().put("reason", reason()));
    }
  }

  /** The agent is told about its life. */
  record Told(AgentId agent, LifecycleSignal signal, String reason) implements Given {

    public Told {
      Objects.requireNonNull(agent, "agent");
      Objects.requireNonNull(signal, "signal");
      reason = shortened(reason);
    }

    @Override
    public Scope scope() {
      return agent.scope();
    }

    @Override
    public String key() {
      return new LifecycleSignalProtocol().signalKey(agent.name(), signal);
    }
  }

  /**
   * A run is to end as cancelled.
   *
   * @param namespace where the run's entries stand
   */
  record CancelRun(AgentId agent, String namespace, RunId run, String reason) implements Given {

    public CancelRun {
      Objects.requireNonNull(run, "run");
      agent.scope().namespace(namespace);
      reason = shortened(reason);
    }

    @Override
    public Scope scope() {
      return agent.scope().namespace(namespace);
    }

    @Override
    public String key() {
      return new CancelRunProtocol().cancelKey(run.value());
    }
  }

  /**
   * A child of the agent has stopped or failed: what waits for it may go on.
   *
   * @param agent the parent
   * @param reason the error of a child that failed
   */
  record ChildEnded(AgentId agent, AgentId child, AgentState state, String reason)
      implements AgentSignal {

    public ChildEnded {
      Objects.requireNonNull(child, "child");
      Objects.requireNonNull(state, "state");
      reason = shortened(reason);
    }
  }

  /**
   * The signal that a message in an agent's inbox is; empty if it is none, or stands in a scope
   * that is neither the agent's own nor the directory.
   */
  static Optional<AgentSignal> of(InboxMessage.Request message) {
    AgentId agent;
    try {
      agent = AgentId.parse(message.recipient());
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
    Optional<AgentSignal> ended =
        AgentDirectory.ended(message)
            .map(one ->
                new ChildEnded(
                    agent,
                    one.getKey(),
                    one.getValue().state(),
                    one.getValue().reason().orElse("")));
    if (ended.isPresent() || !message.scope().equals(in(agent, message.scope().namespace()))) {
      return ended;
    }
    JsonNode reason = message.value().path("reason");
    if (message.scope().namespace().isEmpty()) {
      return new LifecycleSignalProtocol()
          .signal(message.key())
          .filter(given -> given.agent().equals(Optional.of(agent.name())))
          .map(given -> new Told(agent, given.signal(), reason.asText()));
    }
    return new CancelRunProtocol()
        .cancelledId(message.key())
        .map(id ->
            new CancelRun(
                agent, message.scope().namespace().get(), new RunId(id), reason.asText()));
  }

  private static Scope in(AgentId agent, Optional<String> namespace) {
    return namespace.map(agent.scope()::namespace).orElse(agent.scope());
  }

  private static String shortened(String reason) {
    String given = reason == null ? "" : reason;
    return given.length() <= MAX_REASON ? given : given.substring(0, MAX_REASON);
  }
}
