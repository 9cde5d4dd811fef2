package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability;
import dev.colony.blackboard.Entry;
import dev.colony.core.dispatch.Attempts.Failure;
import dev.colony.core.dispatch.Outputs.Waiting;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Puts values in the place of references. What a reference stands for is not looked through for
 * further ones, so that no data of others can read the agent's.
 */
final class RefResolver {

  private final Agent agent;
  private final ActionPolicyExecutionState state;
  private final ObjectNode custom;
  private final Function<String, Optional<ActionCall>> calls;
  private final Outputs outputs;

  /**
   * @param custom the policy's entries as they are now
   * @param calls the actions that have ended, by their ids
   */
  RefResolver(
      Agent agent,
      ActionPolicyExecutionState state,
      ObjectNode custom,
      Function<String, Optional<ActionCall>> calls,
      Outputs outputs) {
    this.agent = agent;
    this.state = state;
    this.custom = custom;
    this.calls = calls;
    this.outputs = outputs;
  }

  /**
   * A copy with all references resolved. Blocks where one is kept on the blackboard.
   *
   * @param params nested less deeply than the stack is
   * @throws Unresolvable for the first reference to what is not there
   */
  JsonNode resolve(JsonNode params) throws Exception {
    if (params.isTextual()) {
      Optional<Ref> ref = Ref.parse(params.textValue());
      return ref.isPresent() ? value(ref.get()) : TextNode.valueOf(Ref.literal(params.textValue()));
    }
    if (params.isObject()) {
      ObjectNode resolved = JsonNodeFactory.instance.objectNode();
      for (var field : params.properties()) {
        resolved.set(field.getKey(), resolve(field.getValue()));
      }
      return resolved;
    }
    if (params.isArray()) {
      ArrayNode resolved = JsonNodeFactory.instance.arrayNode();
      for (JsonNode element : params) {
        resolved.add(resolve(element));
      }
      return resolved;
    }
    return params;
  }

  private JsonNode value(Ref ref) throws Exception {
    return switch (ref.kind()) {
      case VARIABLE -> at(ref, variable(ref), ref.path());
      case RESULTS -> result(ref);
      case GLOBAL -> global(ref);
      case CHILDREN -> child(ref);
      case SHARED -> shared(ref);
    };
  }

  private JsonNode variable(Ref ref) throws Exception {
    JsonNode written = custom.get(Variables.entry(ref.name()));
    if (written != null) {
      Optional<Variables.Stored> stored = Variables.stored(written);
      return stored.isPresent()
          ? at(ref, whole(ref, stored.get().key()), stored.get().field().stream().toList())
          : written;
    }
    JsonNode own = custom.get(ref.name());
    JsonNode given = own == null ? state.request().input().get(ref.name()) : own;
    if (given == null) {
      throw new Unresolvable(
          ref,
          "there is no variable "
              + ref.name()
              + "; a text that begins with a dollar is written with two");
    }
    return given;
  }

  private JsonNode result(Ref ref) throws Exception {
    ActionResult result =
        longest(ref.name())
            .orElseThrow(() -> new Unresolvable(ref, "the run has no result of that action"))
            .result();
    if (!result.success()) {
      throw new Unresolvable(ref, "the action " + result.actionId() + " did not succeed");
    }
    JsonNode output =
        result.stored().isPresent() ? whole(ref, result.stored().get()) : result.output();
    return at(ref, output, behind(ref.name(), result.actionId()));
  }

  /** The action whose id a text begins with, the longest id winning. */
  private Optional<ActionCall> longest(String text) {
    Optional<ActionCall> found = calls.apply(text);
    for (int dot = text.lastIndexOf('.'); found.isEmpty() && dot > 0; ) {
      found = calls.apply(text.substring(0, dot));
      dot = text.lastIndexOf('.', dot - 1);
    }
    return found;
  }

  private JsonNode global(Ref ref) throws Exception {
    AgentCapability capability = longest(ref.name(), agent.capabilities());
    if (capability == null) {
      throw new Unresolvable(ref, "the agent has no such capability");
    }
    return at(ref, capability.readable(), behind(ref.name(), capability.capabilityKey()));
  }

  /** The longest name wins. */
  private JsonNode child(Ref ref) throws Exception {
    for (int end = ref.name().length(); end > 0; end = ref.name().lastIndexOf('.', end - 1)) {
      String name = ref.name().substring(0, end);
      for (AgentCapability one : agent.capabilities()) {
        Optional<JsonNode> exported = one.exportedBy(name);
        if (exported.isPresent()) {
          return at(ref, exported.get(), behind(ref.name(), name));
        }
      }
    }
    throw new Unresolvable(ref, "no agent of that name has ended a task of this one");
  }

  private JsonNode shared(Ref ref) throws Exception {
    try {
      return Waiting.on(agent.blackboard().read(ref.name()))
          .map(Entry::value)
          .orElseThrow(() -> new Unresolvable(ref, "the agent's scope has no such entry"));
    } catch (IllegalArgumentException noKey) {
      throw new Unresolvable(ref, Failure.line(noKey));
    }
  }

  private JsonNode whole(Ref ref, String key) throws Exception {
    return outputs
        .stored(key)
        .orElseThrow(() -> new Unresolvable(ref, "its output is not kept any more"));
  }

  /** The capability whose key a text begins with, the longest key winning; null for none. */
  private static AgentCapability longest(String text, List<AgentCapability> all) {
    AgentCapability found = null;
    for (AgentCapability one : all) {
      String key = one.capabilityKey();
      boolean fits = text.equals(key) || text.startsWith(key + ".");
      if (fits && (found == null || key.length() > found.capabilityKey().length())) {
        found = one;
      }
    }
    return found;
  }

  private static List<String> behind(String text, String name) {
    return text.equals(name)
        ? List.of()
        : Arrays.asList(text.substring(name.length() + 1).split("\\."));
  }

  private static JsonNode at(Ref ref, JsonNode value, List<String> path) throws Unresolvable {
    JsonNode at = value;
    for (String step : path) {
      JsonNode next =
          at.isArray() && step.matches("\\d{1,9}") ? at.get(Integer.parseInt(step)) : at.get(step);
      if (next == null) {
        throw new Unresolvable(ref, "there is no " + step);
      }
      at = next;
    }
    return at;
  }

  /** A reference to what is not there; the message names it. */
  static final class Unresolvable extends Exception {

    private static final long serialVersionUID = 1L;

    Unresolvable(Ref ref, String why) {
      super(ref + " cannot be resolved: " + why);
    }
  }

  /** The scope variables of a run: what actions write, among the policy's own entries. */
  static final class Variables {

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
}
