package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.blackboard.value.Text;
import dev.colony.vcm.mapping.TokenCounter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The actions of an agent as functions of its cells: {@code notes.add} for the action {@code
 * notes.add}. A character that no name may have is {@code _} in the function's name, and a number
 * tells functions apart that would have the same.
 *
 * @param named by their groups and names, in the order of the actions
 */
record Functions(Map<String, Map<String, ActionDescription>> named, List<ActionGroup> of) {

  private static final int SUMMARY_CHARS = 400;
  private static final TokenCounter COUNTER = new TokenCounter();

  /** Names that a cell has already, and those that make no function. */
  private static final Set<String> TAKEN =
      Set.of(
          """
          print show complete console ActionError Object Array String Number Boolean Math JSON
          Date Map Set Promise Error Symbol RegExp Reflect Proxy Function BigInt Iterator parseInt
          parseFloat isNaN isFinite then constructor prototype
          """
              .strip()
              .split("\\s+"));

  static Functions of(List<ActionGroup> groups) {
    Map<String, Map<String, ActionDescription>> named = new LinkedHashMap<>();
    Set<String> groupNames = new HashSet<>(TAKEN);
    List<ActionGroup> kept = new ArrayList<>();
    for (ActionGroup group : groups) {
      Map<String, ActionDescription> functions = new LinkedHashMap<>();
      Set<String> names = new HashSet<>(TAKEN);
      for (ActionDescription action : group.actions()) {
        String prefix = group.name() + ".";
        String name =
            action.key().startsWith(prefix)
                ? action.key().substring(prefix.length())
                : action.key();
        functions.put(unique(name, names, true), action);
      }
      if (!functions.isEmpty()) {
        named.put(unique(group.name(), groupNames, false), functions);
        kept.add(group);
      }
    }
    return new Functions(named, List.copyOf(kept));
  }

  /**
   * @param property whether it stands behind a dot, where words of the language are names too
   */
  private static String unique(String name, Set<String> taken, boolean property) {
    String plain = name.replaceAll("[^A-Za-z0-9_]", "_");
    String wanted =
        plain.isEmpty() || Character.isDigit(plain.charAt(0)) || !property && !Cell.named(plain)
            ? Text.head("_" + plain, Cell.NAME_CHARS)
            : plain;
    String unique = wanted;
    for (int i = 2; !taken.add(unique); i++) {
      unique = wanted + "_" + i;
    }
    return unique;
  }

  Set<String> groups() {
    return named.keySet();
  }

  boolean offers(String key) {
    return named.values().stream()
        .flatMap(functions -> functions.values().stream())
        .anyMatch(action -> action.key().equals(key));
  }

  /** What a cell calls them, by their keys. */
  Map<String, String> names() {
    Map<String, String> names = new HashMap<>();
    named.forEach((group, functions) ->
        functions.forEach((name, action) -> names.put(action.key(), group + "." + name)));
    return names;
  }

  /** By group and name the keys of the actions. */
  ObjectNode keys() {
    ObjectNode keys = JsonNodeFactory.instance.objectNode();
    named.forEach((group, functions) -> {
      ObjectNode of = keys.putObject(group);
      functions.forEach((name, action) -> of.put(name, action.key()));
    });
    return keys;
  }

  /**
   * How they are called, a line each under a line for each group; of those for which there is no
   * room the names.
   *
   * @param tokens for all but the names
   */
  String text(int tokens) {
    StringBuilder text = new StringBuilder();
    List<String> left = new ArrayList<>();
    int used = 0;
    int at = 0;
    for (Map.Entry<String, Map<String, ActionDescription>> group : named.entrySet()) {
      String summary = Text.line(of.get(at++).summary(), SUMMARY_CHARS);
      String heading = "// " + group.getKey() + (summary.isEmpty() ? "" : ": " + summary) + "\n";
      for (Map.Entry<String, ActionDescription> one : group.getValue().entrySet()) {
        String name = group.getKey() + "." + one.getKey();
        String line = heading + signature(name, one.getValue());
        int size = COUNTER.count(line);
        if (used + size > tokens) {
          left.add(name);
        } else {
          text.append(line);
          used += size;
          heading = "";
        }
      }
    }
    if (!left.isEmpty()) {
      text.append("// For these there is no room here; an error says what is wrong with a call: ")
          .append(String.join(", ", left))
          .append('\n');
    }
    return text.toString();
  }

  private static String signature(String name, ActionDescription action) {
    StringBuilder line = new StringBuilder(name).append('(');
    JsonNode parameters = action.parameters();
    if (!parameters.path("properties").isEmpty()
        || !parameters.path("patternProperties").isEmpty()
        || parameters.path("additionalProperties").isObject()) {
      line.append(TypeText.of(parameters));
    }
    line.append(')');
    JsonNode output = action.output();
    if (output != null && output.isObject() && !output.isEmpty()) {
      line.append(": ").append(TypeText.of(output));
    }
    String summary = Text.line(action.summary(), SUMMARY_CHARS);
    if (!summary.isEmpty()) {
      line.append("  // ").append(summary);
    }
    return line.append(action.approval() ? " A person has to approve it.\n" : "\n").toString();
  }

  /** A JSON schema as a type of TypeScript on one line, with what types do not say as comments. */
  static final class TypeText {

    private static final int DEEPEST = 4;
    private static final int MOST_CHARS = 1_200;
    private static final int COMMENT_CHARS = 160;

    private final JsonNode root;

    private TypeText(JsonNode root) {
      this.root = root;
    }

    static String of(JsonNode schema) {
      return Text.line(new TypeText(schema).type(schema, 0), MOST_CHARS);
    }

    private String type(JsonNode schema, int depth) {
      String reference = schema.path("$ref").asText("");
      if (reference.equals("#") || reference.startsWith("#/")) {
        return depth > DEEPEST ? "any" : type(root.at(reference.substring(1)), depth + 1);
      }
      if (schema.has("const")) {
        return schema.get("const").toString();
      }
      if (schema.path("enum").isArray()) {
        List<String> values = new ArrayList<>();
        schema.get("enum").forEach(value -> values.add(value.toString()));
        return String.join(" | ", values);
      }
      for (String either : List.of("anyOf", "oneOf")) {
        if (schema.path(either).isArray()) {
          return union(schema.get(either), depth);
        }
      }
      if (schema.path("type").isArray()) {
        List<String> types = new ArrayList<>();
        schema.get("type").forEach(name -> types.add(type(name.asText(), schema, depth)));
        return String.join(" | ", types);
      }
      return type(schema.path("type").asText(""), schema, depth);
    }

    private String union(JsonNode alternatives, int depth) {
      List<String> types = new ArrayList<>();
      for (JsonNode one : alternatives) {
        String type = type(one, depth + 1);
        if (!types.contains(type)) {
          types.add(type);
        }
      }
      return String.join(" | ", types);
    }

    private String type(String name, JsonNode schema, int depth) {
      return switch (name) {
        case "integer", "number" -> "number";
        case "string", "boolean", "null" -> name;
        case "array" -> {
          String element = schema.has("items") ? type(schema.get("items"), depth + 1) : "any";
          yield element.contains(" | ") ? "(" + element + ")[]" : element + "[]";
        }
        case "object" -> object(schema, depth);
        default -> "any";
      };
    }

    private String object(JsonNode schema, int depth) {
      JsonNode properties = schema.path("properties");
      JsonNode patterns = schema.path("patternProperties");
      if (properties.isEmpty() && patterns.isEmpty() || depth > DEEPEST) {
        return schema.path("additionalProperties").isObject() && depth <= DEEPEST
            ? "{[name: string]: " + type(schema.get("additionalProperties"), depth + 1) + "}"
            : "object";
      }
      Set<String> required = new HashSet<>();
      schema.path("required").forEach(one -> required.add(one.asText()));
      List<String> fields = new ArrayList<>();
      for (Map.Entry<String, JsonNode> one : properties.properties()) {
        fields.add(
            (one.getKey().matches("[A-Za-z_][A-Za-z0-9_]*")
                    ? one.getKey()
                    : '"' + one.getKey() + '"')
                + (required.contains(one.getKey()) ? ": " : "?: ")
                + type(one.getValue(), depth + 1)
                + comment(one.getValue()));
      }
      for (Map.Entry<String, JsonNode> one : patterns.properties()) {
        fields.add(
            "[name: string]: %s /* names match %s */"
                .formatted(type(one.getValue(), depth + 1), one.getKey().replace("*/", "* /")));
      }
      return "{" + String.join(", ", fields) + "}";
    }

    private static String comment(JsonNode schema) {
      List<String> notes = new ArrayList<>();
      if (schema.path("type").asText("").equals("integer")) {
        notes.add("integer");
      }
      if (schema.has("minimum") || schema.has("maximum")) {
        notes.add(schema.path("minimum").asText("") + ".." + schema.path("maximum").asText(""));
      }
      for (String name : List.of("format", "pattern", "minLength", "maxLength", "maxItems")) {
        if (schema.has(name)) {
          notes.add(name + " " + schema.get(name).asText());
        }
      }
      if (schema.has("default")) {
        notes.add("default " + schema.get("default"));
      }
      if (schema.has("description")) {
        notes.add(schema.get("description").asText());
      }
      return notes.isEmpty()
          ? ""
          : " /* "
              + Text.line(String.join("; ", notes).replace("*/", "* /"), COMMENT_CHARS)
              + " */";
    }
  }
}
