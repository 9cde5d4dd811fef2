package dev.colony.agent.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.SessionId;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.EventHandler;
import dev.colony.agent.prompt.JsonPreview;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.StreamEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the events of an iteration to the handlers of the active capabilities, one event after the
 * other, and what they return to the streams. A handler that fails is noted; the others and the
 * iteration go on.
 */
final class EventReception {

  private static final Logger LOG = LoggerFactory.getLogger(EventReception.class);

  private final PolicyContext context;

  EventReception(PolicyContext context) {
    this.context = context;
  }

  Received receive(ActionPolicyExecutionState state) throws InterruptedException {
    List<ObjectNode> contexts = new ArrayList<>();
    List<ObjectNode> untaken = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (EventBatch batch : state.events()) {
      if (batch.missed()) {
        problems.add("some events of " + batch.scope() + " came too long ago and are lost");
      }
      for (EventBatch.Event event : batch.events()) {
        session(event).ifPresent(state::session);
        ObjectNode made = broadcast(state, batch, event, problems);
        if (!made.isEmpty()) {
          contexts.add(made);
          if (!offer(state, Experience.of(made, event.at()))) {
            untaken.add(made);
          }
        }
      }
    }
    return new Received(contexts, untaken, problems);
  }

  private ObjectNode broadcast(
      ActionPolicyExecutionState state,
      EventBatch batch,
      EventBatch.Event event,
      List<String> problems)
      throws InterruptedException {
    ObjectNode contexts = JsonNodeFactory.instance.objectNode();
    for (AgentCapability capability : context.agent().capabilities()) {
      if (state.disabled().contains(capability.capabilityKey())
          || !capability.scope().equals(batch.scope())) {
        continue;
      }
      try {
        for (EventHandler.Context one : capability.handle(event)) {
          contexts.set(one.key(), bounded(one));
        }
      } catch (InterruptedException | CancellationException stopped) {
        throw stopped;
      } catch (Exception | StackOverflowError | LinkageError failure) {
        LOG.warn("{} failed to handle {}", capability.capabilityKey(), event.key(), failure);
        problems.add(
            JsonPreview.cut(
                capability.capabilityKey() + " failed to handle " + event.key() + ": " + failure,
                context.settings().previewChars()));
      }
    }
    return contexts;
  }

  private boolean offer(ActionPolicyExecutionState state, StreamEntry entry) {
    boolean taken = false;
    for (ConsciousnessStream stream : context.streams()) {
      taken |= stream.takes(entry);
      state.consider(stream, entry);
    }
    return taken;
  }

  /** A field that is no session id names no session. */
  private static Optional<SessionId> session(EventBatch.Event event) {
    String named = event.value().map(value -> value.path("session").asText("")).orElse("");
    try {
      return named.isEmpty() ? Optional.empty() : Optional.of(new SessionId(named));
    } catch (IllegalArgumentException other) {
      return Optional.empty();
    }
  }
}
