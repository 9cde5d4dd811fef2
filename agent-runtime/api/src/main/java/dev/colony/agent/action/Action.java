package dev.colony.agent.action;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.blackboard.value.ValueMapper;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * One action that a policy has chosen.
 *
 * @param actionId names this action within its run; its result is found under it
 * @param key which action of which capability: as an {@link ActionDescription} names it
 * @param params a JSON object of the action's parameters, which may hold {@link Ref}s
 */
public record Action(String actionId, String key, JsonNode params) {

  /** The journal gives a number back with its value, and not always as the same kind. */
  private static final Comparator<JsonNode> NUMBERS =
      (one, other) ->
          one.isNumber() && other.isNumber()
              ? one.decimalValue().compareTo(other.decimalValue())
              : one.equals(other) ? 0 : 1;

  private static final char REPEATED = '~';
  private static final int MOST_DIGITS = 4;

  public Action {
    Objects.requireNonNull(actionId, "actionId");
    Objects.requireNonNull(key, "key");
    params = params == null ? JsonNodeFactory.instance.objectNode() : params;
  }

  public static Action of(String actionId, String key, JsonNode params) {
    return new Action(actionId, key, params);
  }

  /** One without parameters. */
  public static Action of(String actionId, String key) {
    return new Action(actionId, key, JsonNodeFactory.instance.objectNode());
  }

  /**
   * One with these parameters.
   *
   * @param value of the first: JSON, a {@link Ref}, or what Jackson writes as JSON
   * @param more names and values in turn
   * @throws IllegalArgumentException if a name is no text or has no value
   */
  public static Action of(String actionId, String key, String name, Object value, Object... more) {
    if (more.length % 2 != 0) {
      throw new IllegalArgumentException("the last parameter of " + key + " has no value");
    }
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    params.set(name, json(value));
    for (int i = 0; i < more.length; i += 2) {
      if (!(more[i] instanceof String named)) {
        throw new IllegalArgumentException(
            "the name of a parameter of " + key + " is a text, not " + more[i]);
      }
      params.set(named, json(more[i + 1]));
    }
    return new Action(actionId, key, params);
  }

  private static JsonNode json(Object value) {
    return switch (value) {
      case JsonNode node -> node;
      case Ref ref -> JsonNodeFactory.instance.textNode(ref.toString());
      case null -> JsonNodeFactory.instance.nullNode();
      default -> ValueMapper.write("a parameter", value);
    };
  }

  /**
   * Whether the parameters are these, as they are written; numbers are compared by their values.
   */
  public boolean has(JsonNode written) {
    return params.equals(NUMBERS, written);
  }

  /**
   * Whether the parameters may be what these are resolved to: what is written as a {@link Ref} may
   * have given anything.
   */
  public boolean resolves(JsonNode written) {
    return resolves(written, params);
  }

  private static boolean resolves(JsonNode written, JsonNode resolved) {
    if (written.isTextual()) {
      String text = written.textValue();
      return Ref.parse(text).isPresent()
          || resolved.isTextual() && resolved.textValue().equals(Ref.literal(text));
    }
    if (written.isContainerNode()) {
      boolean alike =
          written.getNodeType() == resolved.getNodeType() && written.size() == resolved.size();
      return alike
          && (written.isObject() ? fields(written, resolved) : elements(written, resolved));
    }
    return resolved.equals(NUMBERS, written);
  }

  private static boolean fields(JsonNode written, JsonNode resolved) {
    return written.properties().stream()
        .allMatch(one ->
            resolved.has(one.getKey()) && resolves(one.getValue(), resolved.get(one.getKey())));
  }

  private static boolean elements(JsonNode written, JsonNode resolved) {
    return IntStream.range(0, written.size())
        .allMatch(at -> resolves(written.get(at), resolved.get(at)));
  }

  /**
   * The id under which an action was dispatched first: of one that was dispatched again when a
   * person had answered, {@code pay} for {@code pay~2}; otherwise its own.
   */
  public static String firstId(String actionId) {
    int mark = repetition(actionId);
    return mark < 0 ? actionId : actionId.substring(0, mark);
  }

  /** The same action as it is dispatched again: {@code pay~2} behind {@code pay}, then the next. */
  public Action next() {
    int mark = repetition(actionId);
    int times = mark < 0 ? 1 : Integer.parseInt(actionId.substring(mark + 1));
    return of(firstId(actionId) + REPEATED + (times + 1), key, params);
  }

  /** Where the number of a repetition is set off from the first id; negative without one. */
  private static int repetition(String actionId) {
    int mark = actionId.lastIndexOf(REPEATED);
    int digits = actionId.length() - mark - 1;
    if (mark < 1 || digits < 1 || digits > MOST_DIGITS || actionId.charAt(mark + 1) == '0') {
      return -1;
    }
    for (int at = mark + 1; at < actionId.length(); at++) {
      if (actionId.charAt(at) < '0' || actionId.charAt(at) > '9') {
        return -1;
      }
    }
    return mark;
  }

  /** An action and what became of it: an element of a run's history. */
  public record ActionCall(Action action, ActionResult result) {

    public ActionCall {
      Objects.requireNonNull(action, "action");
      Objects.requireNonNull(result, "result");
    }

    /**
     * What a person has to approve before the action is done; empty if it does not wait for that.
     */
    public Optional<Approved> asked() {
      return result.blocked() && result.until().orElse(null) instanceof Approved approved
          ? Optional.of(approved)
          : Optional.empty();
    }
  }
}
