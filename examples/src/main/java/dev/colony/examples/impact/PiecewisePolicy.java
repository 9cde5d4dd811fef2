package dev.colony.examples.impact;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Gathers by actions, has the model look at one piece after another, then composes. An iteration
 * takes one action or asks the model about one piece, and what came of it is durable with it: a run
 * that goes on elsewhere asks about no piece again. A piece that no model answers for is left out,
 * and does not end the run as long as another is answered for.
 */
abstract class PiecewisePolicy extends BaseActionPolicy {

  private static final JsonMapper JSON = JsonMapper.builder().findAndAddModules().build();
  private static final String READ = "read";
  private static final String UNREAD = "unread";

  /** A question to the model; its name is unique within the run. */
  record Piece(String name, ModelCall call) {}

  protected PiecewisePolicy(PolicyContext context) {
    super(context);
  }

  /** The next action by which something is gathered; empty where all is. */
  protected abstract Optional<Action> gather(ActionPolicyExecutionState state);

  /** What the model is to look at, the same each time all is gathered. */
  protected abstract List<Piece> pieces(ActionPolicyExecutionState state);

  /**
   * What the run gives.
   *
   * @param replies of the pieces that were answered for, by their names, in their order
   * @param unread the others, with the reasons
   */
  protected abstract JsonNode composed(
      ActionPolicyExecutionState state, Map<String, JsonNode> replies, Map<String, String> unread);

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    Optional<Action> next = gather(state);
    if (next.isPresent()) {
      return new Decision.Act(next.get());
    }
    List<Piece> pieces = pieces(state);
    ObjectNode read = state.custom().withObject("/" + READ);
    ObjectNode unread = state.custom().withObject("/" + UNREAD);
    for (Piece piece : pieces) {
      if (!read.has(piece.name()) && !unread.has(piece.name())) {
        try {
          read.set(piece.name(), ask(piece));
        } catch (AgentException unanswered) {
          unread.put(piece.name(), unanswered.getMessage());
        }
        return new Decision.Skip();
      }
    }
    if (!pieces.isEmpty() && read.isEmpty()) {
      return Decision.Fail.because(unread.properties().iterator().next().getValue().asText());
    }
    Map<String, JsonNode> replies = new LinkedHashMap<>();
    Map<String, String> without = new LinkedHashMap<>();
    for (Piece piece : pieces) {
      if (read.has(piece.name())) {
        replies.put(piece.name(), read.get(piece.name()));
      } else {
        without.put(piece.name(), unread.path(piece.name()).asText());
      }
    }
    return Decision.Complete.with(composed(state, replies, without));
  }

  private JsonNode ask(Piece piece) {
    String said = agent().inference().infer(piece.name(), piece.call()).text();
    return piece.call().reply().schema().isPresent()
        ? parse(said)
        : JsonNodeFactory.instance.textNode(said);
  }

  /**
   * Asks the model something once in the run, besides the pieces; empty where it does not answer.
   * What it says is durable with the iteration.
   */
  protected final Optional<JsonNode> once(
      ActionPolicyExecutionState state, String name, ModelCall call) {
    if (!state.custom().has(name)) {
      try {
        state.custom().set(name, ask(new Piece(name, call)));
      } catch (AgentException unanswered) {
        state.custom().set(name, JsonNodeFactory.instance.nullNode());
      }
    }
    return Optional.of(state.custom().get(name)).filter(said -> !said.isNull());
  }

  /** The result of an action of this run; missing where it failed or was not taken. */
  protected final JsonNode result(ActionPolicyExecutionState state, String actionId) {
    for (ActionCall call : state.history()) {
      if (call.action().actionId().equals(actionId) && call.result().success()) {
        return dispatcher().resolve(JsonNodeFactory.instance.textNode("$results." + actionId));
      }
    }
    return JsonNodeFactory.instance.missingNode();
  }

  /** The first of the actions that this run has not taken yet. */
  protected static Optional<Action> untaken(
      ActionPolicyExecutionState state, List<Action> actions) {
    List<String> taken = new ArrayList<>();
    for (ActionCall call : state.history()) {
      taken.add(call.action().actionId());
    }
    return actions.stream().filter(action -> !taken.contains(action.actionId())).findFirst();
  }

  /** A value as JSON. */
  protected static JsonNode json(Object value) {
    return JSON.valueToTree(value);
  }

  /** Reads a record; what does not fit is an {@link IllegalArgumentException}. */
  static <T> T read(JsonNode json, Class<T> type) {
    return JSON.convertValue(json, type);
  }

  /** Reads JSON that is known to be some. */
  protected static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(malformed.getOriginalMessage(), malformed);
    }
  }
}
