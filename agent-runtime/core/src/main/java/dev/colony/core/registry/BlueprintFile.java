package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.LocatedJson;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An agent as a person describes it in a file: the JSON form of {@link AgentBlueprint}, with
 * comments, and
 *
 * <ul>
 *   <li>{@code name}, that of the agent within its colony;
 *   <li>{@code role}, {@code goals} and {@code constraints}, which are arguments of the policy; one
 *       goal or constraint may stand as text;
 *   <li>for a type without arguments just its name, which may be its last part where no other type
 *       that fits ends so: {@code "policy": "minimal"}.
 * </ul>
 *
 * <p>A version that is left out is the one that is registered here, and arguments that are left out
 * are as the constant {@code DEFAULT} of their record has them, if it has one.
 *
 * @param name empty where the file names no agent
 * @param blueprint checked against the registered types: a node would build it
 */
public record BlueprintFile(Optional<String> name, AgentBlueprint blueprint) {

  /**
   * Bytes of a file, at most: four times those of a blueprint, so that there is room to comment.
   */
  public static final int MAX_BYTES = 4 * AgentBlueprint.MAX_BYTES;

  /** What became of reading a file. */
  public sealed interface Reading permits Read, Refused {}

  /** What became of reading the change of a blueprint. */
  public sealed interface ChangeReading permits Changed, Refused {}

  public record Read(BlueprintFile file) implements Reading {}

  public record Changed(BlueprintChange change) implements ChangeReading {}

  /**
   * It does not.
   *
   * @param problems all that were found, at least one, in the order of their places
   */
  public record Refused(List<Problem> problems) implements Reading, ChangeReading {

    public Refused {
      problems =
          problems.stream()
              .distinct()
              .sorted(
                  Comparator.comparingInt(Problem::line)
                      .thenComparingInt(Problem::column)
                      .thenComparing(Problem::message))
              .toList();
    }
  }

  /**
   * Something to mend.
   *
   * @param line counted from 1, as is the column
   * @param path of the field, as in {@code capabilities[0].type}; empty for the whole
   * @param message one line: what is wrong, and what would be right
   */
  public record Problem(int line, int column, String path, String message) {

    static Problem at(LocatedJson.Place place, String path, String message) {
      return new Problem(place.line(), place.column(), path, message);
    }

    /** Of a blueprint that is looked at as a whole, where lines mean nothing. */
    public static Problem of(String path, String message) {
      return new Problem(1, 1, path, message);
    }

    /** As compilers have it: {@code 12:5: what is wrong}. */
    @Override
    public String toString() {
      return "%d:%d: %s".formatted(line, column, message);
    }
  }

  public BlueprintFile {
    name.ifPresent(BlueprintFile::checkName);
  }

  /**
   * Reads the text of a file. Nothing is instantiated but the records of arguments.
   *
   * @param types that the nodes have, too
   */
  public static Reading read(String text, AgentTypes types) {
    int size = text.getBytes(StandardCharsets.UTF_8).length;
    if (size > MAX_BYTES) {
      return refused(
          LocatedJson.Place.BEGINNING,
          "it has %,d bytes, more than %,d".formatted(size, MAX_BYTES));
    }
    try {
      return new BlueprintFileReader(LocatedJson.parse(text), types).read();
    } catch (LocatedJson.Malformed wrong) {
      return refused(wrong.place(), "this is no JSON: " + wrong.getMessage());
    }
  }

  /**
   * Reads a blueprint that a program has sent: in the form that is stored, without the ease for
   * people, but with the same defaults and checks. Its problems have paths; their lines mean
   * nothing.
   *
   * @param types that the nodes have, too
   */
  public static Reading blueprint(JsonNode json, AgentTypes types) {
    try {
      return reader(json, types).blueprint();
    } catch (LocatedJson.Malformed wrong) {
      return unreadable(wrong);
    }
  }

  /**
   * The same of the change of a blueprint.
   *
   * @param types that the nodes have, too
   */
  public static ChangeReading change(JsonNode json, AgentTypes types) {
    try {
      return reader(json, types).change();
    } catch (LocatedJson.Malformed wrong) {
      return unreadable(wrong);
    }
  }

  private static BlueprintFileReader reader(JsonNode json, AgentTypes types) {
    return new BlueprintFileReader(LocatedJson.parse(json.toString()), types);
  }

  private static Refused unreadable(LocatedJson.Malformed wrong) {
    return refused(LocatedJson.Place.BEGINNING, "this cannot be read: " + wrong.getMessage());
  }

  static void checkName(String name) {
    new AgentId("any", "any", name);
  }

  private static Refused refused(LocatedJson.Place place, String why) {
    return new Refused(List.of(Problem.at(place, "", why)));
  }

  /**
   * The blueprints among a type's arguments: a filter that is made of filters, a capability that
   * may spawn agents. They are found by their Java types, so that JSON that merely looks like one
   * is not taken for one.
   */
  static final class NestedBlueprints {

    private final List<Object> found = new ArrayList<>();

    private NestedBlueprints() {}

    /** All that stand in a record of arguments, those within them left out. */
    static List<Object> in(Object args) {
      NestedBlueprints nested = new NestedBlueprints();
      nested.visit(args);
      return nested.found;
    }

    private void visit(Object value) {
      switch (value) {
        case Blueprint blueprint -> found.add(blueprint);
        case AgentBlueprint blueprint -> found.add(blueprint);
        case CapabilityBlueprint blueprint -> found.add(blueprint.what());
        case StreamBlueprint blueprint -> found.add(blueprint);
        case Optional<?> optional -> optional.ifPresent(this::visit);
        case Collection<?> elements -> elements.forEach(this::visit);
        case Map<?, ?> map -> map.values().forEach(this::visit);
        case Object[] elements -> Arrays.asList(elements).forEach(this::visit);
        case Record fields -> components(fields);
        case null, default -> {}
      }
    }

    private void components(Record fields) {
      for (RecordComponent component : fields.getClass().getRecordComponents()) {
        try {
          component.getAccessor().setAccessible(true);
          visit(component.getAccessor().invoke(fields));
        } catch (InvocationTargetException | IllegalAccessException broken) {
          throw new IllegalArgumentException(component + " cannot be read", broken);
        }
      }
    }
  }

  /** Refuses policies that are given another policy. */
  static final class NestedPolicies {

    private NestedPolicies() {}

    /**
     * Looks through the arguments of a policy's blueprint.
     *
     * @throws IllegalArgumentException if one of them is the blueprint of a policy
     */
    static void refuse(AgentTypes types, Blueprint policy) {
      Deque<JsonNode> open = new ArrayDeque<>();
      open.add(policy.args());
      while (!open.isEmpty()) {
        JsonNode one = open.remove();
        if (namesPolicy(types, one)) {
          throw new IllegalArgumentException(
              "the policy "
                  + policy.type()
                  + " is given the policy "
                  + one.path("type").asText()
                  + ": policies do not nest, spawn a child agent with that policy");
        }
        one.properties().stream()
            .filter(field -> !(ofAgent(one) && field.getKey().equals("policy")))
            .forEach(field -> open.add(field.getValue()));
        if (one.isArray()) {
          one.forEach(open::add);
        }
      }
    }

    /**
     * The blueprint of a whole agent has a policy of its own: that is a child, not a nested one.
     */
    private static boolean ofAgent(JsonNode json) {
      return json.has("policy") && json.has("capabilities");
    }

    private static boolean namesPolicy(AgentTypes types, JsonNode json) {
      if (!json.path("type").isTextual() || !json.has("args")) {
        return false;
      }
      try {
        types.find(ActionPolicy.class, Blueprint.fromJson(json));
        return true;
      } catch (AgentException | IllegalArgumentException none) {
        return false;
      }
    }
  }
}
