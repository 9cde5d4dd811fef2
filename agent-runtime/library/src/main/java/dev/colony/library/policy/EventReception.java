package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.SessionId;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Received;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.core.capability.CapabilityType;
import dev.colony.library.prompt.JsonPreview;
import dev.colony.library.stream.ConversationFormatter;
import dev.colony.schema.JsonValues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands what has come to the handlers of the active capabilities, one event after the other, and
 * what they return to the streams. A handler that fails is noted; the others and the iteration go
 * on. Used for one iteration.
 */
final class EventReception {

  /** How one capability handles what has come. */
  @FunctionalInterface
  private interface Handling {
    List<EventHandler.Context> by(AgentCapability capability) throws Exception;
  }

  private static final Logger LOG = LoggerFactory.getLogger(EventReception.class);

  private final PolicyContext context;
  private final ActionPolicyExecutionState state;
  private final List<String> keys = new ArrayList<>();
  private final List<ObjectNode> contexts = new ArrayList<>();
  private final List<ObjectNode> untaken = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private EventReception(PolicyContext context, ActionPolicyExecutionState state) {
    this.context = context;
    this.state = state;
  }

  /** Receives the run itself, when it begins, and the events of the iteration. */
  static Received receive(PolicyContext context, ActionPolicyExecutionState state)
      throws InterruptedException {
    EventReception reception = new EventReception(context, state);
    if (state.iterationNum() == 0 && EventBatch.of(state.request()).isEmpty()) {
      ObjectNode made =
          reception.broadcast(
              "the run",
              state.request().at(),
              capability -> CapabilityType.handle(capability, state.request()));
      reception.said(made);
    }
    for (EventBatch batch : state.events()) {
      reception.receive(batch);
    }
    return new Received(reception.keys, reception.contexts, reception.untaken, reception.problems);
  }

  private void receive(EventBatch batch) throws InterruptedException {
    if (batch.missed()) {
      problems.add("some events of " + batch.scope() + " came too long ago and are lost");
    }
    for (EventBatch.Event event : batch.events()) {
      keys.add(event.key());
      session(event).ifPresent(state::session);
      broadcast(
          event.key(),
          event.at(),
          capability -> CapabilityType.handle(capability, batch.scope(), event));
    }
  }

  /** What a run is asked for in words is the user's, for the streams that show a conversation. */
  private void said(ObjectNode made) {
    JsonNode input = state.request().input();
    if (input.isTextual() && !made.has(ConversationFormatter.USER_CONTEXT_KEY)) {
      offer(
          StreamEntries.event(
              state.request().at(), Map.of(ConversationFormatter.USER_CONTEXT_KEY, input)));
    }
  }

  private ObjectNode broadcast(String what, Instant at, Handling handling)
      throws InterruptedException {
    ObjectNode made = JsonNodeFactory.instance.objectNode();
    for (AgentCapability capability : context.agent().capabilities()) {
      if (!state.disabled().contains(capability.capabilityKey())) {
        handle(capability, what, handling, made);
      }
    }
    if (!made.isEmpty()) {
      ObjectNode kept = bounded(made);
      contexts.add(kept);
      if (!offer(StreamEntries.event(at, fields(made)))) {
        untaken.add(kept);
      }
    }
    return made;
  }

  private void handle(AgentCapability capability, String what, Handling handling, ObjectNode made)
      throws InterruptedException {
    try {
      for (EventHandler.Context one : handling.by(capability)) {
        made.set(one.key(), JsonValues.toJson(one.value()));
      }
    } catch (InterruptedException | CancellationException stopped) {
      throw stopped;
    } catch (Exception | StackOverflowError | LinkageError failure) {
      LOG.warn("{} failed to handle {}", capability.capabilityKey(), what, failure);
      problems.add(
          JsonPreview.cut(
              capability.capabilityKey() + " failed to handle " + what + ": " + failure,
              context.settings().previewChars()));
    }
  }

  private boolean offer(StreamEntry entry) {
    boolean taken = false;
    for (ConsciousnessStream stream : context.streams()) {
      taken |= stream.takes(entry);
      state.consider(stream, entry);
    }
    return taken;
  }

  /** The contexts, those that are too large as a preview. */
  private ObjectNode bounded(ObjectNode made) {
    int most = context.settings().contextChars();
    ObjectNode bounded = JsonNodeFactory.instance.objectNode();
    made.properties()
        .forEach(one -> {
          String text = one.getValue().toString();
          if (text.length() <= most) {
            bounded.set(one.getKey(), one.getValue());
          } else {
            bounded.put(one.getKey(), JsonPreview.cut(text, most));
          }
        });
    return bounded;
  }

  private static Map<String, JsonNode> fields(ObjectNode json) {
    Map<String, JsonNode> fields = new HashMap<>();
    json.properties().forEach(one -> fields.put(one.getKey(), one.getValue()));
    return fields;
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
