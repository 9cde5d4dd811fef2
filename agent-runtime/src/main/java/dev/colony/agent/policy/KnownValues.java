package dev.colony.agent.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Ref;
import java.util.Optional;

/**
 * Puts values in the place of references within what a run gives: outputs of the run's actions, the
 * run's own entries, and fields of its input. Pure.
 */
record KnownValues(ActionPolicyExecutionState state) {

  /**
   * A copy with all references resolved.
   *
   * @throws IllegalArgumentException naming the first reference to what the run does not know
   */
  JsonNode in(JsonNode value) {
    if (value.isTextual()) {
      Optional<Ref> ref = Ref.parse(value.textValue());
      return ref.isPresent()
          ? of(ref.get())
          : JsonNodeFactory.instance.textNode(Ref.literal(value.textValue()));
    }
    if (value.isObject()) {
      ObjectNode resolved = JsonNodeFactory.instance.objectNode();
      value.properties().forEach(one -> resolved.set(one.getKey(), in(one.getValue())));
      return resolved;
    }
    if (value.isArray()) {
      ArrayNode resolved = JsonNodeFactory.instance.arrayNode();
      value.forEach(one -> resolved.add(in(one)));
      return resolved;
    }
    return value;
  }

  private JsonNode of(Ref ref) {
    JsonNode found =
        switch (ref.kind()) {
          case VARIABLE -> variable(ref);
          case RESULTS -> result(ref);
          case GLOBAL, SHARED -> JsonNodeFactory.instance.missingNode();
        };
    if (found.isMissingNode()) {
      throw new IllegalArgumentException("the run knows nothing as " + ref);
    }
    return found;
  }

  private JsonNode variable(Ref ref) {
    JsonNode own = state.custom().path(ref.name());
    JsonNode given = own.isMissingNode() ? state.request().input().path(ref.name()) : own;
    return at(given, String.join(".", ref.path()));
  }

  /** Action ids may hold dots: the longest one that fits is meant. */
  private JsonNode result(Ref ref) {
    ActionResult longest = null;
    for (ActionCall call : state.history()) {
      String id = call.action().actionId();
      boolean fits = ref.name().equals(id) || ref.name().startsWith(id + ".");
      if (fits && (longest == null || id.length() >= longest.actionId().length())) {
        longest = call.result();
      }
    }
    if (longest == null || !longest.success() || longest.stored().isPresent()) {
      return JsonNodeFactory.instance.missingNode();
    }
    int pathStart = Math.min(ref.name().length(), longest.actionId().length() + 1);
    return at(longest.output(), ref.name().substring(pathStart));
  }

  private static JsonNode at(JsonNode value, String path) {
    return path.isEmpty() ? value : value.at("/" + path.replace('.', '/'));
  }
}
