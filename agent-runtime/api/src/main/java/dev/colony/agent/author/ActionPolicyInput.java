package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a policy is given: of the run's input the fields {@code goals}, {@code constraints} and
 * {@code initialContext}, all of them optional, and whatever else its {@link ActionPolicyIO} names.
 * An input that is a text is the goal; a list, a number or a truth value is the field {@code
 * input}. What actions there are, the dispatcher says, since it changes from iteration to
 * iteration.
 *
 * @param goals what is to be reached, one each; the input may give a single text in place of a list
 * @param constraints what is to be kept to, one each; likewise
 * @param initialContext where to start from
 * @param fields the others, by name
 */
public record ActionPolicyInput(
    List<String> goals, List<String> constraints, ObjectNode initialContext, ObjectNode fields) {

  /** Of a run that events started: they are its input, see {@link EventBatch}. */
  public static final ActionPolicyInput NONE =
      new ActionPolicyInput(
          List.of(),
          List.of(),
          JsonNodeFactory.instance.objectNode(),
          JsonNodeFactory.instance.objectNode());

  private static final Set<String> OWN = Set.of("goals", "constraints", "initialContext");

  public ActionPolicyInput {
    goals = List.copyOf(goals);
    constraints = List.copyOf(constraints);
  }

  /**
   * Reads a run's input. A blank text and null are no input.
   *
   * @throws IllegalArgumentException that names the field that is not what it must be
   */
  public static ActionPolicyInput of(RunRequest request) {
    if (request.namespace().equals(EventBatch.NAMESPACE)) {
      return NONE;
    }
    JsonNode input = fields(request.input());
    JsonNode context = input.path("initialContext");
    if (!context.isMissingNode() && !context.isObject()) {
      throw new IllegalArgumentException("initialContext: must be an object, not " + kind(context));
    }
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    input.properties().stream()
        .filter(one -> !OWN.contains(one.getKey()))
        .forEach(one -> fields.set(one.getKey(), one.getValue()));
    return new ActionPolicyInput(
        texts(input, "goals"),
        texts(input, "constraints"),
        context.isObject() ? (ObjectNode) context : JsonNodeFactory.instance.objectNode(),
        fields);
  }

  /** The input as an object, whatever it is. */
  private static JsonNode fields(JsonNode input) {
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    return switch (input.getNodeType()) {
      case OBJECT -> input;
      case STRING -> input.textValue().isBlank() ? fields : fields.set("goals", input);
      case NULL, MISSING -> fields;
      case ARRAY, NUMBER, BOOLEAN, BINARY, POJO -> fields.set("input", input);
    };
  }

  private static List<String> texts(JsonNode input, String name) {
    JsonNode given = input.path(name);
    if (given.isMissingNode()) {
      return List.of();
    }
    if (given.isTextual()) {
      return List.of(given.textValue());
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode one : given) {
      if (!one.isTextual()) {
        throw new IllegalArgumentException(
            name + ": must be a list of texts, but holds " + kind(one));
      }
      texts.add(one.textValue());
    }
    if (!given.isArray()) {
      throw new IllegalArgumentException(
          name + ": must be a text or a list of texts, not " + kind(given));
    }
    return texts;
  }

  private static String kind(JsonNode json) {
    return switch (json.getNodeType()) {
      case ARRAY -> "a list";
      case OBJECT, POJO -> "an object";
      case STRING, BINARY -> "a text";
      case NUMBER -> "a number";
      case BOOLEAN -> "true or false";
      case NULL, MISSING -> "null";
    };
  }
}
