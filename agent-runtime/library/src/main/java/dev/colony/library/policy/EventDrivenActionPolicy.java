package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Received;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.schema.JsonValues;
import java.util.Optional;

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
                .and(now, context().settings().pendingEvents());
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
}
