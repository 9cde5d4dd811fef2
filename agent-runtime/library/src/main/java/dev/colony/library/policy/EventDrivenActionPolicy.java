package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.SessionId;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyExecutionState.Received;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.ConsciousnessStream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.core.capability.CapabilityType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A policy that events wake, and that does nothing in between: it never polls. Each new event goes
 * to the handlers of the active capabilities; what they return goes to the consciousness streams,
 * and so does every action. What an event means is known to capabilities and streams alone.
 *
 * <p>By itself it makes an agent that only reacts: the handlers do all there is to do. A subclass
 * decides in {@link #planStep} what to do about what has come, which {@link
 * ActionPolicyExecutionState#received} holds.
 *
 * <p>An event whose value has a field {@code session} brings the run into that session, from its
 * own handlers on.
 */
@Registered(
    value = "colony.event-driven",
    summary = "Hands events to the capabilities and does nothing else.")
public class EventDrivenActionPolicy extends BaseActionPolicy {

  /**
   * The event by which runs make known why a model decided as it did; its data has the field {@code
   * text}.
   */
  public static final String REASONING = "reasoning";

  /** Among the run's entries: what no {@link #planStep} has seen. */
  private static final String RECEIVED = "received";

  public EventDrivenActionPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  public final boolean takesEvents() {
    return true;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) throws Exception {
    return new Decision.Idle();
  }

  @Override
  public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state)
      throws Exception {
    receive(state);
    ActionPolicyIterationResult result = super.executeIteration(state);
    result.call().ifPresent(call -> observe(state, call));
    return result;
  }

  /** What an iteration receives that does not reach {@link #planStep} is kept for the next. */
  private void receive(ActionPolicyExecutionState state) throws InterruptedException {
    Received now = EventReception.receive(context(), state);
    JsonNode before = state.custom().remove(RECEIVED);
    Received all =
        before == null
            ? now
            : ((Received) JsonValues.read(before, Received.class))
                .and(now, PolicySettings.PENDING_EVENTS);
    state.received(all);
    if (repeats(state) && !all.equals(Received.NOTHING)) {
      state.custom().set(RECEIVED, JsonValues.toJson(all));
    }
  }

  @Override
  public final void observe(ActionPolicyExecutionState state, ActionCall call) {
    StreamEntry entry =
        StreamEntries.action(
            context().agent().blackboard().clock().instant(), call, reasoning(state, call));
    context().streams().forEach(stream -> state.consider(stream, entry));
  }

  /** Makes known to the subscribers of the run why a model decided as it did, where it said so. */
  protected final void reasoned(String text) {
    if (!text.isBlank()) {
      context().agent().emit(REASONING, JsonNodeFactory.instance.objectNode().put("text", text));
    }
  }

  /** Why an action was chosen, for the streams; empty where that is not known. */
  protected Optional<String> reasoning(ActionPolicyExecutionState state, ActionCall call) {
    return Optional.empty();
  }

  /**
   * Hands what has come to the handlers of the active capabilities, one event after the other, and
   * what they return to the streams. A handler that fails is noted; the others and the iteration go
   * on. Used for one iteration.
   */
  static final class EventReception {

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
      return new Received(
          reception.keys, reception.contexts, reception.untaken, reception.problems);
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
        if (!offer(StreamEntries.event(at, ReplyFields.map(made)))) {
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
                PolicySettings.PREVIEW_CHARS));
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
      int most = PolicySettings.CONTEXT_CHARS;
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
}
