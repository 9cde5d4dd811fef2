package dev.colony.replica.lexical;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.words.Words;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the values of a step's parameters are found, and the lists of what it is repeated for. */
final class GoalValues {

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");

  /** Words that stand for what an earlier step gave. */
  private static final Pattern BACK =
      Pattern.compile(
          "\\b(?:it|its|them|that|this|these|those|they|results?|findings?|found)\\b",
          Pattern.CASE_INSENSITIVE);

  private GoalValues() {}

  /** Whether a step says that it uses what an earlier one gave. */
  static boolean refersBack(String step, String parameter) {
    String unquoted = QUOTED.matcher(step).replaceAll("");
    return BACK.matcher(unquoted).find()
        || Words.stems(parameter).stream().anyMatch(Words.stems(unquoted)::contains)
            && !QUOTED.matcher(step).find();
  }

  /** What a step quotes. */
  static List<String> quoted(String step) {
    return QUOTED.matcher(step).results().map(match -> match.group(1)).toList();
  }

  /**
   * The elements that a step is repeated for: a value that is a list, or the field of it that has
   * the name, or else its first list. None where there is no list.
   */
  static List<JsonNode> elements(JsonNode value, String name) {
    List<JsonNode> named = named(value, name);
    if (!named.isEmpty() || value.isArray()) {
      return value.isArray() ? value.valueStream().toList() : named;
    }
    return value
        .valueStream()
        .filter(JsonNode::isArray)
        .findFirst()
        .map(list -> list.valueStream().toList())
        .orElse(List.of());
  }

  /** The elements of the field that has the name. */
  static List<JsonNode> named(JsonNode value, String name) {
    List<String> wanted = Words.stems(name);
    return value.properties().stream()
        .filter(one -> one.getValue().isArray())
        .filter(one -> Words.stems(one.getKey()).stream().anyMatch(wanted::contains))
        .findFirst()
        .map(one -> one.getValue().valueStream().toList())
        .orElse(List.of());
  }

  /** What an element of a list gives for a parameter; missing where it says nothing of it. */
  static JsonNode of(JsonNode element, String parameter, String name, boolean only) {
    if (element.isObject()) {
      if (element.has(parameter)) {
        return element.get(parameter);
      }
      List<String> wanted = Words.stems(parameter);
      for (Map.Entry<String, JsonNode> one : element.properties()) {
        if (Words.stems(one.getKey()).stream().anyMatch(wanted::contains)) {
          return one.getValue();
        }
      }
      return MissingNode.getInstance();
    }
    boolean named = Words.stems(parameter).stream().anyMatch(Words.stems(name)::contains);
    return element.isMissingNode() || !(only || named) ? MissingNode.getInstance() : element;
  }

  /** The value for a schema, as far as texts give one. */
  static JsonNode filled(JsonNode schema, String parameter, String step, List<String> texts) {
    Extract extract = new Extract(QueryTerms.of(step), texts);
    JsonNode whole = JsonNodeFactory.instance.objectNode();
    return new SchemaFiller(whole, extract).value(parameter, schema);
  }

  /** A text as the JSON that it is, cut off or not; missing where it is none. */
  static JsonNode parsed(String text) {
    String shown = text.replaceFirst(" \\[[\\d,]+ of [\\d,]+ characters].*$", "");
    String plain = shown.replaceFirst(" \\[kept as a whole]$", "").strip();
    if (plain.startsWith("\"")) {
      return json(plain).orElseGet(MissingNode::getInstance);
    }
    if (!plain.startsWith("[") && !plain.startsWith("{")) {
      return MissingNode.getInstance();
    }
    return json(plain).or(() -> json(closed(plain))).orElseGet(MissingNode::getInstance);
  }

  private static Optional<JsonNode> json(String text) {
    try {
      return Optional.of(JSON.readTree(text));
    } catch (JsonProcessingException none) {
      return Optional.empty();
    }
  }

  /** The text up to the last value that is whole, with what closes it. */
  private static String closed(String text) {
    Deque<Character> open = new ArrayDeque<>();
    int whole = 0;
    List<Character> closing = List.of();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char at = text.charAt(i);
      if (quoted) {
        i += at == '\\' ? 1 : 0;
        quoted = at != '"';
      } else if (at == '"') {
        quoted = true;
      } else if (at == '[' || at == '{') {
        open.push(at == '[' ? ']' : '}');
      } else if ((at == ']' || at == '}') && !open.isEmpty()) {
        open.pop();
        whole = i + 1;
        closing = new ArrayList<>(open);
      } else if (at == ',') {
        whole = i;
        closing = new ArrayList<>(open);
      }
    }
    StringBuilder all = new StringBuilder(text.substring(0, whole));
    closing.forEach(all::append);
    return all.toString();
  }

  /** Of lines {@code name: value} each value that is JSON, by its name. */
  static JsonNode input(List<String> lines) {
    ObjectNode input = JsonNodeFactory.instance.objectNode();
    Pattern field = Pattern.compile("^([\\w.-]+): (.*)$", Pattern.DOTALL);
    for (String line : lines) {
      Matcher one = field.matcher(line);
      if (one.matches()) {
        JsonNode value = parsed(one.group(2));
        if (!value.isMissingNode()) {
          input.set(one.group(1), value);
        }
      }
    }
    return input;
  }
}
