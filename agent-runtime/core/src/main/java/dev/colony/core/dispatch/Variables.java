package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import java.util.List;
import java.util.Optional;

/** The scope variables of a run: what actions write, among the policy's own entries. */
final class Variables {

  private static final String PREFIX = "scope.";
  private static final String STORED = "$stored";
  private static final String FIELD = "field";

  /**
   * A variable that stands for a large output, or for a field of one.
   *
   * @param field empty for the whole
   */
  record Stored(String key, Optional<String> field) {}

  private Variables() {}

  /** The policy's entry in which a variable is kept. */
  static String entry(String name) {
    return PREFIX + name;
  }

  /** The large output that a variable stands for, if it does. */
  static Optional<Stored> stored(JsonNode variable) {
    return variable.path(STORED).isTextual()
        ? Optional.of(
            new Stored(
                variable.get(STORED).textValue(),
                Optional.ofNullable(variable.get(FIELD)).map(JsonNode::asText)))
        : Optional.empty();
  }

  /**
   * Keeps a result under the names that the action writes: the whole output under a single name,
   * under several the fields of these names.
   */
  static void write(ObjectNode custom, ActionDescription action, ActionResult result) {
    if (!result.success()) {
      return;
    }
    List<String> names = action.writes();
    boolean whole = names.size() == 1;
    for (String name : names) {
      if (result.stored().isPresent()) {
        ObjectNode stored = JsonNodeFactory.instance.objectNode();
        stored.put(STORED, result.stored().get());
        if (!whole) {
          stored.put(FIELD, name);
        }
        custom.set(entry(name), stored);
      } else if (whole || result.output().has(name)) {
        custom.set(entry(name), whole ? result.output() : result.output().get(name));
      }
    }
  }
}
