package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An action as a prompt describes it in words: a line of the actions of a planner, or the signature
 * of a function of a cell.
 *
 * @param line {@code `name` what it does}, and how its parameters are described
 * @param parameters by name a JSON schema of each, as far as the words say one
 * @param required names of those that must be given
 */
record OfferedAction(
    String name, String line, Map<String, JsonNode> parameters, List<String> required) {

  private static final String TAKES = " Takes ";
  private static final Pattern LINE = Pattern.compile("^`([^`]+)` (.*)$");
  private static final Pattern PARAMETER = Pattern.compile("(?:^|; )([A-Za-z_][\\w-]*) \\(");
  private static final Pattern BETWEEN = Pattern.compile("(-?\\d+) ?(?:to|\\.\\.) ?(-?\\d+)");
  private static final Pattern SIGNATURE = Pattern.compile("^([A-Za-z_]\\w*\\.\\w+)\\((.*)$");
  private static final Pattern FIELD =
      Pattern.compile("^\\s*\"?([A-Za-z_][\\w-]*)\"?(\\?)?: ?(.*)$", Pattern.DOTALL);

  /** Of a line of a planner's actions; empty for any other line. */
  static Optional<OfferedAction> ofLine(String line) {
    Matcher named = LINE.matcher(line);
    if (!named.matches()) {
      return Optional.empty();
    }
    int takes = line.lastIndexOf(TAKES);
    Map<String, JsonNode> parameters = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    String words = takes < 0 ? "" : line.substring(takes + TAKES.length());
    Matcher parameter = PARAMETER.matcher(words);
    while (parameter.find()) {
      String type = balanced(words.substring(parameter.end()), ')');
      parameters.put(parameter.group(1), schema(type));
      if (!type.matches(".*, optional(,.*)?")) {
        required.add(parameter.group(1));
      }
    }
    return Optional.of(new OfferedAction(named.group(1), line, parameters, List.copyOf(required)));
  }

  /** Of a function's signature, {@code notes.add({text: string}): string // adds one}. */
  static Optional<OfferedAction> ofSignature(String line) {
    Matcher named = SIGNATURE.matcher(line);
    if (!named.matches()) {
      return Optional.empty();
    }
    Map<String, JsonNode> parameters = new LinkedHashMap<>();
    List<String> required = new ArrayList<>();
    String rest = named.group(2);
    String given = balanced(rest, ')').strip();
    if (given.startsWith("{")) {
      for (String one : split(given.substring(1, Math.max(1, given.length() - 1)))) {
        Matcher field = FIELD.matcher(one);
        if (field.matches()) {
          parameters.put(field.group(1), schemaOfType(field.group(3)));
          if (field.group(2) == null) {
            required.add(field.group(1));
          }
        }
      }
    }
    int comment = rest.lastIndexOf("  // ");
    String summary = comment < 0 ? "" : rest.substring(comment + 5);
    String words = String.join(" ", parameters.keySet());
    return Optional.of(
        new OfferedAction(
            named.group(1),
            "`%s` %s %s".formatted(named.group(1), summary, words),
            parameters,
            List.copyOf(required)));
  }

  /** How well it serves a goal. */
  double match(String goal) {
    return LexicalPlanner.match(new Extract(QueryTerms.of(goal), List.of()), goal, name, line);
  }

  /** What stands before the bracket that closes. */
  private static String balanced(String text, char closing) {
    int open = 0;
    for (int i = 0; i < text.length(); i++) {
      char at = text.charAt(i);
      if (open == 0 && at == closing) {
        return text.substring(0, i);
      }
      if ("([{".indexOf(at) >= 0) {
        open++;
      } else if (")]}".indexOf(at) >= 0) {
        open--;
      }
    }
    return text;
  }

  /** At the commas that stand in no brackets and no comment. */
  private static List<String> split(String fields) {
    List<String> parts = new ArrayList<>();
    int open = 0;
    int from = 0;
    for (int i = 0; i < fields.length(); i++) {
      char at = fields.charAt(i);
      if ("([{".indexOf(at) >= 0 || fields.startsWith("/*", i)) {
        open++;
      } else if (")]}".indexOf(at) >= 0 || fields.startsWith("*/", i)) {
        open--;
      } else if (at == ',' && open == 0) {
        parts.add(fields.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(fields.substring(from));
    return parts;
  }

  /** Of a type in the words of a planner's prompt. */
  private static JsonNode schema(String words) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    String type = words.split(", optional|, by default")[0];
    if (type.startsWith("one of ")) {
      for (String member : type.substring(7).split(", ")) {
        schema.withArray("/enum").add(member);
      }
    } else if (type.startsWith("list of ")) {
      schema.put("type", "array").set("items", schema(type.substring(8)));
    } else if (type.startsWith("text")) {
      schema.put("type", "string");
      bounds(schema, type, "minLength", "maxLength");
    } else if (type.startsWith("whole number")) {
      schema.put("type", "integer");
      bounds(schema, type, "minimum", "maximum");
    } else if (type.startsWith("number")) {
      schema.put("type", "number");
      bounds(schema, type, "minimum", "maximum");
    } else if (type.startsWith("true or false")) {
      schema.put("type", "boolean");
    } else if (type.startsWith("object")) {
      schema.put("type", "object");
    }
    return schema;
  }

  /** Of a type of TypeScript with comments. */
  private static JsonNode schemaOfType(String type) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    String plain = type.replaceAll("/\\*.*?\\*/", "").strip();
    if (plain.endsWith("[]")) {
      schema
          .put("type", "array")
          .set("items", schemaOfType(plain.substring(0, plain.length() - 2)));
    } else if (plain.matches("\".*\"( \\| \".*\")*")) {
      for (String member : plain.split(" \\| ")) {
        schema.withArray("/enum").add(member.substring(1, member.length() - 1));
      }
    } else if (plain.startsWith("string")) {
      schema.put("type", "string");
    } else if (plain.startsWith("number")) {
      schema.put("type", type.contains("integer") ? "integer" : "number");
      bounds(schema, type, "minimum", "maximum");
    } else if (plain.startsWith("boolean")) {
      schema.put("type", "boolean");
    } else if (plain.startsWith("{") || plain.equals("object")) {
      schema.put("type", "object");
    }
    return schema;
  }

  private static void bounds(ObjectNode schema, String words, String least, String most) {
    Matcher between = BETWEEN.matcher(words);
    if (between.find()) {
      schema.put(least, Long.parseLong(between.group(1)));
      schema.put(most, Long.parseLong(between.group(2)));
      return;
    }
    Matcher above = Pattern.compile(", (-?\\d+)(?: characters)? or more").matcher(words);
    if (above.find()) {
      schema.put(least, Long.parseLong(above.group(1)));
    }
    Matcher below = Pattern.compile("at most (-?\\d+)").matcher(words);
    if (below.find()) {
      schema.put(most, Long.parseLong(below.group(1)));
    }
  }
}
