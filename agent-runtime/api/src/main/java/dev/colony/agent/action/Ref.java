package dev.colony.agent.action;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A value elsewhere, in place of which a text stands in an action's parameters. It is resolved when
 * the action is dispatched. The whole text is the reference:
 *
 * <ul>
 *   <li>{@code $variable.path}: a scope variable
 *   <li>{@code $results.actionId.path}: the output of an earlier action of the run
 *   <li>{@code $global.capabilityKey.path}: what a capability of the agent lets be read
 *   <li>{@code $children.name.export.path}: what the task of an agent that works for this one has
 *       exported, once it has ended
 *   <li>{@code $shared.key}: the value of an entry in the agent's own scope of the blackboard
 * </ul>
 *
 * <p>A path goes down through fields and, by their numbers from 0, through elements. Any other text
 * stands for itself; a text that begins with two dollars stands for the rest behind the first one.
 *
 * @param kind where to look
 * @param name of a variable its name; otherwise all that follows the kind: an action id, a
 *     capability key or a child's name may hold dots, so that only who knows these can tell where
 *     the path begins
 * @param path of a variable; empty otherwise
 */
public record Ref(Kind kind, String name, List<String> path) {

  /** Where a reference looks. */
  public enum Kind {
    VARIABLE,
    RESULTS,
    GLOBAL,
    CHILDREN,
    SHARED
  }

  private static final Pattern TEXT =
      Pattern.compile("\\$([A-Za-z_][A-Za-z0-9_]*)(?:\\.(.+))?", Pattern.DOTALL);
  private static final Pattern PATH = Pattern.compile("[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*");

  public Ref {
    path = List.copyOf(path);
  }

  /** The reference that a text is; empty for one that stands for itself. */
  public static Optional<Ref> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String rest = matcher.group(2);
    return switch (matcher.group(1)) {
      case "results" -> elsewhere(Kind.RESULTS, rest);
      case "global" -> elsewhere(Kind.GLOBAL, rest);
      case "children" -> elsewhere(Kind.CHILDREN, rest);
      case "shared" -> elsewhere(Kind.SHARED, rest);
      default -> variable(matcher.group(1), rest);
    };
  }

  /** The text that a text which is no reference stands for. */
  public static String literal(String text) {
    return text.startsWith("$$") ? text.substring(1) : text;
  }

  /** A copy in which every text stands for itself, for parameters that others have written. */
  public static JsonNode verbatim(JsonNode value) {
    if (value.isTextual()) {
      String text = value.textValue();
      return TextNode.valueOf(text.startsWith("$") ? "$" + text : text);
    }
    if (value.isObject()) {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      value.properties().forEach(one -> object.set(one.getKey(), verbatim(one.getValue())));
      return object;
    }
    if (value.isArray()) {
      ArrayNode array = JsonNodeFactory.instance.arrayNode();
      value.forEach(one -> array.add(verbatim(one)));
      return array;
    }
    return value;
  }

  private static Optional<Ref> elsewhere(Kind kind, String rest) {
    return rest == null ? Optional.empty() : Optional.of(new Ref(kind, rest, List.of()));
  }

  private static Optional<Ref> variable(String name, String rest) {
    if (rest == null) {
      return Optional.of(new Ref(Kind.VARIABLE, name, List.of()));
    }
    return PATH.matcher(rest).matches()
        ? Optional.of(new Ref(Kind.VARIABLE, name, Arrays.asList(rest.split("\\."))))
        : Optional.empty();
  }

  /** The reference as it is written; {@link #parse} reads it back. */
  @Override
  public String toString() {
    return switch (kind) {
      case VARIABLE -> "$" + name + (path.isEmpty() ? "" : "." + String.join(".", path));
      case RESULTS -> "$results." + name;
      case GLOBAL -> "$global." + name;
      case CHILDREN -> "$children." + name;
      case SHARED -> "$shared." + name;
    };
  }
}
