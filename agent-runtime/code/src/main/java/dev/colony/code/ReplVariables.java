package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.value.Text;
import dev.colony.library.policy.JsonPreview;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What cells leave in their variables: entries of the run under the variables' own names, so that
 * {@code $name} refers to them. Those that outlive the run are entries of the agent too. The model
 * sees a line for each.
 *
 * @param entries of the run
 * @param policy entries of the agent
 * @param kept names of those that outlive the run
 */
record ReplVariables(ObjectNode entries, ObjectNode policy, Set<String> kept) {

  /** Variables that the model sees without asking, those that were changed last first. */
  static final int SHOWN = 40;

  /** Of a variable's value. */
  private static final int PREVIEW_CHARS = 160;

  private static final String KEPT = "variable.";

  private static final int KEYS = 12;
  private static final int KEY_CHARS = 200;

  Map<String, JsonNode> all() {
    Map<String, JsonNode> all = new LinkedHashMap<>();
    entries.properties().stream()
        .filter(one -> Cell.named(one.getKey()))
        .forEach(one -> all.put(one.getKey(), one.getValue()));
    return all;
  }

  /**
   * A run begins: it finds what the runs before have left. What is not kept any more goes from the
   * agent.
   */
  void recall() {
    for (String entry : names(policy)) {
      if (entry.startsWith(KEPT) && !kept.contains(entry.substring(KEPT.length()))) {
        policy.remove(entry);
      }
    }
    for (String name : kept) {
      if (policy.has(KEPT + name)) {
        entries.set(name, policy.get(KEPT + name));
      }
    }
  }

  /** Takes over what a cell has changed. */
  void change(Map<String, Optional<JsonNode>> changed) {
    changed.forEach((name, value) -> {
      // What is set again stands last.
      entries.remove(name);
      value.ifPresent(json -> entries.set(name, json));
      if (kept.contains(name)) {
        value.ifPresentOrElse(
            json -> policy.set(KEPT + name, json), () -> policy.remove(KEPT + name));
      }
    });
  }

  /** A line for each of these that is there, the last first; of too many the rest is counted. */
  List<String> lines(Set<String> names) {
    List<Map.Entry<String, JsonNode>> chosen =
        new ArrayList<>(
            all().entrySet().stream().filter(one -> names.contains(one.getKey())).toList());
    List<String> lines = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : chosen.reversed()) {
      if (lines.size() == SHOWN) {
        lines.add("[" + (chosen.size() - lines.size()) + " more]");
        break;
      }
      lines.add(one.getKey() + ": " + preview(one.getValue()));
    }
    return lines;
  }

  private static String preview(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "text of " + value.textValue().length() + " characters: " + begin(value);
      case ARRAY -> "list of " + value.size() + ": " + begin(value);
      case OBJECT -> "object with " + keys(value) + ": " + begin(value);
      case NUMBER, BOOLEAN, NULL, BINARY, POJO, MISSING -> begin(value);
    };
  }

  private static String keys(JsonNode object) {
    List<String> names = names(object);
    String some = Text.line(String.join(", ", names.stream().limit(KEYS).toList()), KEY_CHARS);
    return names.size() > KEYS ? some + " and " + (names.size() - KEYS) + " more keys" : some;
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static String begin(JsonNode value) {
    return JsonPreview.of(value, PREVIEW_CHARS);
  }
}
