package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a prompt shows of a plan and of what its actions gave.
 *
 * @param all items, the oldest first
 * @param outputs of the actions that succeeded, by their ids
 * @param lines of the tree
 */
record PlanTree(List<Item> all, Map<String, String> outputs, List<String> lines) {

  private static final Pattern ITEM =
      Pattern.compile("^( *)- ([A-Za-z0-9_-]+) \\[([a-z]+)] (?:`([^`]+)` (\\{.*?})?)?(.*)$");
  private static final Pattern AFTER = Pattern.compile("; after ([^;]+)");
  private static final Pattern DONE =
      Pattern.compile("^- ([\\w.~-]+): `[^`]*` .*? -> succeeded: (.*)$");

  /**
   * An action of the plan.
   *
   * @param level that it stands in; empty for the root
   * @param key of the action; empty for a part
   * @param note what is said of it
   */
  record Item(
      String level, String name, String status, String key, JsonNode parameters, String note) {

    boolean done() {
      return status.equals("done");
    }

    boolean failed() {
      return status.equals("failed") || status.equals("dropped");
    }

    /** Whether it waits for an action, or refers to what that gives. */
    boolean needs(String other) {
      Matcher after = AFTER.matcher(note);
      return parameters.toString().contains("\"$results." + other)
          || after.find() && List.of(after.group(1).split(", ")).contains(other);
    }
  }

  static PlanTree of(String prompt) {
    List<Item> items = new ArrayList<>();
    Map<String, String> outputs = new LinkedHashMap<>();
    List<String> lines = section(prompt, "## Your plan");
    List<String> path = new ArrayList<>();
    for (String line : lines) {
      Matcher item = ITEM.matcher(line);
      if (item.matches()) {
        int depth = Math.min(item.group(1).length() / 2, path.size());
        path.subList(depth, path.size()).clear();
        items.add(
            new Item(
                String.join(".", path),
                item.group(2),
                item.group(3),
                item.group(4) == null ? "" : item.group(4),
                item.group(5) == null
                    ? MissingNode.getInstance()
                    : GoalValues.parsed(item.group(5)),
                item.group(6)));
        path.add(item.group(2));
      }
    }
    for (String line : section(prompt, "## Actions so far")) {
      Matcher done = DONE.matcher(line);
      if (done.matches()) {
        outputs.put(plain(done.group(1)), done.group(2));
      }
    }
    return new PlanTree(List.copyOf(items), outputs, lines);
  }

  private static List<String> section(String prompt, String heading) {
    List<String> lines = new ArrayList<>();
    boolean within = false;
    for (String line : prompt.split("\n")) {
      if (line.startsWith("## ")) {
        within = line.strip().equals(heading);
      } else if (within) {
        lines.add(line);
      }
    }
    return lines;
  }

  /** An id without what tells attempts and plans apart. */
  private static String plain(String id) {
    return id.replaceFirst("^~\\d+\\.", "").replaceFirst("~\\d+$", "");
  }

  /** The latest of each name on a level. */
  List<Item> items(String level) {
    Map<String, Item> latest = new LinkedHashMap<>();
    all.stream()
        .filter(one -> one.level().equals(names(level)))
        .forEach(one -> latest.put(one.name(), one));
    return List.copyOf(latest.values());
  }

  /** A level's id as names: without the numbers of those that took others' places. */
  private static String names(String level) {
    return plain(level);
  }

  Optional<Item> item(String level, String name) {
    return items(level).stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /** The actions that were taken under a name. */
  List<String> tried(String level, String name) {
    return all.stream()
        .filter(one -> one.level().equals(names(level)) && one.name().equals(name))
        .map(Item::key)
        .toList();
  }

  List<String> keys() {
    return all.stream().map(Item::key).toList();
  }

  /** Whether the supervisor was asked before. */
  boolean escalated() {
    return lines.stream().anyMatch(line -> line.contains("Revision") && line.contains("escalat"));
  }

  /** How often a completion was refused before. */
  long refusals() {
    return lines.stream()
        .filter(line -> line.contains("Revision") && line.contains("because refused"))
        .count();
  }

  /** What the action of a name gave that a level sees; missing where it is not shown. */
  JsonNode output(String level, String name) {
    return GoalValues.parsed(text(level, name));
  }

  /** The same as the prompt shows it; empty where it does not. */
  String text(String level, String name) {
    String at = names(level);
    while (true) {
      String output = outputs.get(at.isEmpty() ? name : at + "." + name);
      if (output != null || at.isEmpty()) {
        return output == null ? "" : output;
      }
      at = at.contains(".") ? at.substring(0, at.lastIndexOf('.')) : "";
    }
  }

  /** The elements of the last result that has a list of them. */
  List<JsonNode> lists(String name) {
    return new ArrayList<>(outputs.values())
        .reversed().stream()
            .map(one -> GoalValues.elements(GoalValues.parsed(one), name))
            .filter(elements -> !elements.isEmpty())
            .findFirst()
            .orElse(List.of());
  }
}
