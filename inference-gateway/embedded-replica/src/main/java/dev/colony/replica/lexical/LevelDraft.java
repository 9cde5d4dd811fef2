package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.replica.lexical.PlanTree.Item;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Actions of one level of a plan, as they come together. */
final class LevelDraft {

  /**
   * What plans are made of.
   *
   * @param ahead actions that a level has at most
   * @param brief whether the prompt names actions without what they take
   */
  record Means(
      PlannerPrompt prompt, PlanTree tree, List<OfferedAction> actions, int ahead, boolean brief) {

    Optional<OfferedAction> best(String step, Set<String> without) {
      OfferedAction best = null;
      double most = LexicalPlanner.LEAST_MATCH;
      for (OfferedAction one : actions) {
        double match = without.contains(one.name()) ? 0 : one.match(step);
        if (match > most) {
          best = one;
          most = match;
        }
      }
      return Optional.ofNullable(best);
    }

    Optional<OfferedAction> named(String key) {
      return actions.stream().filter(one -> one.name().equals(key)).findFirst();
    }

    /** The group that an action stands in. */
    Optional<String> group(OfferedAction action) {
      return prompt.lines(PlannerPrompt.ACTIONS).stream()
          .takeWhile(line -> !line.startsWith("`" + action.name() + "`"))
          .filter(line -> line.startsWith("group "))
          .reduce((one, next) -> next)
          .map(line -> line.substring(6).split(":")[0].strip());
    }
  }

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int NAME_CHARS = 20;

  /** How well another action has to fit in place of one that failed, beside that one. */
  private static final double NEAR_ENOUGH = 0.3;

  private static final Pattern UNFIT = Pattern.compile("\\b(?:expected|fit|must be)\\b");

  private final Means means;
  private final String level;
  private final JsonNode input;
  private final ArrayNode actions = JSON.arrayNode();
  private final List<String> names = new ArrayList<>();
  private final List<String> unknown = new ArrayList<>();

  /** Those whose ends the next step waits for, and what it refers to. */
  private List<String> before = List.of();

  LevelDraft(Means means, String level, JsonNode input) {
    this.means = means;
    this.level = level;
    this.input = input;
  }

  void add(GoalStep step) {
    if (step.each().isEmpty()) {
      JsonNode element = level.isEmpty() ? MissingNode.getInstance() : input;
      means
          .best(step.text(), Set.of())
          .ifPresent(action -> before = List.of(act(action, step.text(), element, "", before)));
      return;
    }
    String each = step.each().get();
    List<JsonNode> elements = elements(each);
    if (!elements.isEmpty()) {
      before = forEach(step, each, elements);
    } else if (!before.isEmpty()) {
      String name = name(each.replaceFirst("(?<!s)$", "s"));
      actions
          .addObject()
          .put("name", name)
          .put("goal", "For each %s: %s".formatted(each, step.text()))
          .put("input", "$results." + before.getLast());
      before = List.of(name);
    } else {
      GoalStep.of(step.text()).forEach(this::add);
    }
  }

  /** In the input, or where nothing was planned before in what the last actions gave. */
  private List<JsonNode> elements(String each) {
    List<JsonNode> named = GoalValues.named(input, each);
    if (!named.isEmpty() || !before.isEmpty()) {
      return named;
    }
    List<JsonNode> given = GoalValues.elements(input, each);
    return given.isEmpty() && level.isEmpty() ? means.tree().lists(each) : given;
  }

  private List<String> forEach(GoalStep step, String each, List<JsonNode> elements) {
    List<String> ends = new ArrayList<>();
    List<String> first = before;
    List<GoalStep> steps = GoalStep.of(step.text());
    for (JsonNode element : elements) {
      if (actions.size() + (step.nested() ? 1 : steps.size()) > means.ahead()) {
        break;
      }
      if (step.nested()) {
        String name = name(title(element));
        ObjectNode part = actions.addObject().put("name", name).put("goal", step.text());
        part.set("input", element);
        first.forEach(part.withArray("/after")::add);
        ends.add(name);
        continue;
      }
      List<String> last = first;
      for (GoalStep one : steps) {
        Optional<OfferedAction> action = means.best(one.text(), Set.of());
        if (action.isPresent()) {
          last = List.of(act(action.get(), one.text(), element, each, last));
        }
      }
      if (last != first) {
        ends.addAll(last);
      }
    }
    return ends.isEmpty() ? before : ends;
  }

  ArrayNode actions() {
    return actions;
  }

  /** Their names. */
  List<String> names() {
    return names;
  }

  /** Groups of which the prompt has to say what their actions take. */
  List<String> groups() {
    return unknown;
  }

  /** Adds an action that serves a step; its name. */
  String act(OfferedAction action, String step, JsonNode element, String each, List<String> after) {
    if (means.brief()) {
      means.group(action).ifPresent(unknown::add);
    }
    String title = element.isMissingNode() || each.isEmpty() ? "" : title(element) + "-";
    String name = name(title + action.name().substring(action.name().lastIndexOf('.') + 1));
    ObjectNode planned = actions.addObject().put("name", name).put("action", action.name());
    ObjectNode parameters = planned.putObject("parameters");
    for (Map.Entry<String, JsonNode> one : action.parameters().entrySet()) {
      value(action, one.getKey(), one.getValue(), step, element, each, after)
          .ifPresent(value -> parameters.set(one.getKey(), value));
    }
    after.forEach(planned.withArray("/after")::add);
    return name;
  }

  private Optional<JsonNode> value(
      OfferedAction action,
      String parameter,
      JsonNode schema,
      String step,
      JsonNode element,
      String each,
      List<String> after) {
    Optional<String> given = means.prompt().given(parameter, step);
    if (given.isPresent()) {
      JsonNode json = GoalValues.parsed(given.get());
      return Optional.of(
          json.isMissingNode()
              ? GoalValues.filled(schema, parameter, given.get(), List.of(given.get()))
              : json);
    }
    boolean required = action.required().contains(parameter);
    boolean only = required && action.required().size() == 1 && !each.isEmpty();
    JsonNode own = GoalValues.of(element, parameter, each, only);
    if (!own.isMissingNode()) {
      return Optional.of(own);
    }
    if (!required) {
      return Optional.empty();
    }
    List<String> quoted = GoalValues.quoted(step);
    String type = schema.path("type").asText("");
    boolean whole = type.isEmpty() && !schema.has("enum") || type.equals("object");
    if (!after.isEmpty()
        && quoted.isEmpty()
        && (whole || type.equals("array") || GoalValues.refersBack(step, parameter))) {
      return Optional.of(
          after.size() == 1 || !whole
              ? TextNode.valueOf("$results." + after.getLast())
              : PlanComposer.references(after));
    }
    return Optional.of(GoalValues.filled(schema, parameter, step, means.prompt().texts(step)));
  }

  /**
   * Another action for one that failed; where its parameters did not fit, the same one with what
   * they referred to as text, once.
   */
  void instead(Item item, String detail) {
    List<String> tried = means.tree().tried(level, item.name());
    Optional<OfferedAction> same = means.named(item.key());
    if (tried.size() == 1
        && same.isPresent()
        && UNFIT.matcher(detail).find()
        && item.parameters().toString().contains("\"$results.")) {
      put(item, same.get().name(), texts(item.parameters()));
      return;
    }
    String step = step(item);
    double failed = same.map(one -> one.match(step)).orElse(1.0);
    means
        .best(step, new HashSet<>(tried))
        .filter(other -> other.match(step) >= NEAR_ENOUGH * failed)
        .ifPresent(other -> {
          act(other, step, MissingNode.getInstance(), "", List.of());
          ObjectNode parameters =
              (ObjectNode) actions.remove(actions.size() - 1).path("parameters");
          item.parameters()
              .properties()
              .forEach(one -> {
                if (other.parameters().containsKey(one.getKey())) {
                  parameters.set(one.getKey(), one.getValue());
                }
              });
          put(item, other.name(), parameters);
        });
  }

  private void put(Item item, String key, JsonNode parameters) {
    actions.addObject().put("name", item.name()).put("action", key).set("parameters", parameters);
  }

  /** With what earlier actions gave, as the prompt shows it, in place of references. */
  private ObjectNode texts(JsonNode parameters) {
    ObjectNode texts = JSON.objectNode();
    parameters
        .properties()
        .forEach(one -> {
          String value = one.getValue().asText("");
          texts.set(
              one.getKey(),
              value.startsWith("$results.")
                  ? TextNode.valueOf(
                      means.tree().text(level, value.substring(9)).replaceFirst("^\\$", ""))
                  : one.getValue());
        });
    return texts;
  }

  /** What an action was planned for: the step of the goals that it serves best. */
  private String step(Item item) {
    return means
        .named(item.key())
        .flatMap(action ->
            means.prompt().goals().stream()
                .flatMap(goal -> GoalStep.of(goal).stream())
                .flatMap(one ->
                    one.each().isEmpty() ? List.of(one).stream() : GoalStep.of(one.text()).stream())
                .max((a, b) -> Double.compare(action.match(a.text()), action.match(b.text())))
                .map(GoalStep::text))
        .orElse(item.name());
  }

  JsonNode result() {
    return before.size() == 1
        ? TextNode.valueOf("$results." + before.getFirst())
        : PlanComposer.references(before);
  }

  private String name(String wanted) {
    String plain = wanted.replaceAll("[^A-Za-z0-9_-]+", "-").replaceAll("^-+|-+$", "");
    String cut = plain.substring(0, Math.min(NAME_CHARS - 3, plain.length()));
    String base = cut.isEmpty() ? "part" : cut;
    String unique = base;
    for (int i = 2; names.contains(unique); i++) {
      unique = base + "-" + i;
    }
    names.add(unique);
    return unique;
  }

  /** A short name for an element: what stands behind its last slash. */
  private static String title(JsonNode element) {
    String text =
        element.isObject()
            ? element
                .valueStream()
                .filter(JsonNode::isTextual)
                .findFirst()
                .map(JsonNode::textValue)
                .orElse("part")
            : element.asText();
    return text.substring(text.lastIndexOf('/') + 1).replaceFirst("\\.\\w{1,5}$", "");
  }
}
