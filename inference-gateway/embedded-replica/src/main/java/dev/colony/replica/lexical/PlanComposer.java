package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.PlanTree.Item;
import dev.colony.replica.lexical.Tools.Call;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays a model that plans, by its words: each step of the goals is served by the action that
 * shares most words with it, one after the other. {@code for each FILE: ...} is carried out for the
 * elements of a list in the input or in an earlier result; where that is not known yet, or where
 * the elements have parts of their own, as a part that is planned when its turn comes.
 *
 * <p>For an action that failed it tries the one that fits second best, then asks the supervisor if
 * goals or constraints say so, then goes on without it if anything else was done, and gives up
 * otherwise.
 */
final class PlanComposer {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int NAME_CHARS = 20;
  private static final int GOAL_CHARS = 600;

  /** How well another action has to fit in place of one that failed, beside that one. */
  private static final double NEAR_ENOUGH = 0.4;

  private static final Pattern AHEAD = Pattern.compile("\\bat most (\\d+)");
  private static final Pattern PART =
      Pattern.compile(
          "Plan how its goal is reached: (.*?) \\(([\\w.~-]+)\\)(?=\\n|$)"
              + "(?:\\nIt starts from: ([^\\n]*))?",
          Pattern.DOTALL);
  private static final Pattern LOOKED_AT = Pattern.compile("The part `([^`]+)` of your plan");
  private static final Pattern TRIGGER = Pattern.compile("(?m)^- ([a-z]+): (.*)$");
  private static final Pattern NAMED = Pattern.compile("`([^`]+)`");
  private static final Pattern DENIED = Pattern.compile("\\b(?:denied|refused|blocked)\\b");
  private static final Pattern SUPERVISOR =
      Pattern.compile("(?i)\\b(?:ask|tell) (?:your|the) supervisor\\b|\\bescalate\\b");

  private final PlannerPrompt prompt;
  private final PlanTree tree;
  private final String question;
  private final List<OfferedAction> actions;
  private final int ahead;

  /** Whether the prompt names actions without what they take. */
  private final boolean brief;

  private PlanComposer(PlannerPrompt prompt, PlanTree tree, String question, boolean many) {
    this.prompt = prompt;
    this.tree = tree;
    this.question = question;
    this.brief = many && prompt.lines(PlannerPrompt.SHOWN).isEmpty();
    List<String> lines = new ArrayList<>(prompt.lines(PlannerPrompt.SHOWN));
    lines.addAll(prompt.lines(PlannerPrompt.ACTIONS));
    Set<String> keys = new HashSet<>();
    this.actions =
        lines.stream()
            .flatMap(line -> OfferedAction.ofLine(line).stream())
            .filter(one -> keys.add(one.name()))
            .toList();
    Matcher most = AHEAD.matcher(String.join("\n", prompt.lines("How you work")));
    this.ahead = most.find() ? Integer.parseInt(most.group(1)) : 8;
  }

  /** The tool that answers a question about a plan. */
  static Call call(LexicalPrompt asked, Tools tools) {
    String text = PlannerPrompt.text(asked);
    int answer = text.lastIndexOf("## Your answer\n");
    String question = answer < 0 ? text : text.substring(answer + 15);
    int next = question.indexOf("\n## ");
    PlannerPrompt prompt = PlannerPrompt.asWritten(asked);
    return new PlanComposer(
            prompt,
            PlanTree.of(text),
            (next < 0 ? question : question.substring(0, next)).strip(),
            tools.named(Tools.SHOW).isPresent())
        .answer();
  }

  private Call answer() {
    if (question.contains("looked at")) {
      return revised();
    }
    Matcher part = PART.matcher(question);
    if (part.find()) {
      JsonNode input = part.group(3) == null ? MissingNode.getInstance() : input(part);
      return planned(new Draft(part.group(2), input), List.of(part.group(1)));
    }
    JsonNode input = GoalValues.input(prompt.lines(PlannerPrompt.INPUT));
    return planned(new Draft("", input), prompt.goals());
  }

  /** What a part starts from: a value, or what an earlier action gave. */
  private JsonNode input(Matcher part) {
    String given = part.group(3).strip();
    Matcher reference = Pattern.compile("\"\\$results\\.([\\w-]+)\"").matcher(given);
    return reference.matches()
        ? tree.output(part.group(2), reference.group(1))
        : given.startsWith("\"")
            ? TextNode.valueOf(given.substring(1, Math.max(1, given.length() - 1)))
            : GoalValues.parsed(given);
  }

  private Call planned(Draft draft, List<String> goals) {
    for (String goal : goals) {
      for (GoalStep step : GoalStep.of(goal)) {
        draft.add(step);
      }
    }
    if (!draft.unknown.isEmpty()) {
      ObjectNode show = JSON.objectNode();
      draft.unknown.stream().distinct().forEach(show.putArray("groups")::add);
      return new Call(Tools.SHOW, show);
    }
    if (!draft.actions.isEmpty()) {
      ObjectNode plan = JSON.objectNode();
      plan.set("actions", draft.actions);
      plan.set("result", draft.result());
      return new Call(Tools.PLAN, plan);
    }
    if (goals.isEmpty()) {
      return new Call(Tools.IDLE, JSON.objectNode());
    }
    String all = String.join(" ", goals);
    return complete(GoalValues.filled(JSON.objectNode(), "", all, prompt.texts(all)));
  }

  private static Call complete(JsonNode result) {
    ObjectNode arguments = JSON.objectNode();
    arguments.set("result", result);
    return new Call(Tools.COMPLETE, arguments);
  }

  private static Call fail(String reason) {
    return new Call(
        Tools.FAIL, JSON.objectNode().put("reason", WellFormed.head(reason, GOAL_CHARS)));
  }

  private static Call goOn() {
    return new Call(Tools.GO_ON, JSON.objectNode());
  }

  /** What is done about what has happened to a level. */
  private Call revised() {
    Matcher at = LOOKED_AT.matcher(question);
    String level = at.find() ? at.group(1) : "";
    Matcher trigger = TRIGGER.matcher(question);
    List<String> failed = new ArrayList<>();
    Optional<Call> other = Optional.empty();
    while (trigger.find()) {
      String detail = trigger.group(2);
      switch (trigger.group(1)) {
        case "failed" -> failed.add(detail);
        case "answered" -> {
          return detail.contains(" says no") ? fail(detail) : goOn();
        }
        case "refused" -> other = Optional.of(refused(level, detail));
        case "stuck" -> other = Optional.of(whatIsDone(level, detail));
        case "exhausted" -> other = other.or(() -> Optional.of(whatIsDone(level, detail)));
        default -> {
          // A plan that goes as expected goes on.
        }
      }
    }
    return failed.isEmpty() ? other.orElseGet(PlanComposer::goOn) : failed(level, failed);
  }

  private Call failed(String level, List<String> failed) {
    Draft draft = new Draft(level, MissingNode.getInstance());
    for (String detail : failed) {
      Matcher named = NAMED.matcher(detail);
      Optional<Item> item = named.find() ? tree.item(level, named.group(1)) : Optional.empty();
      if (item.isPresent() && !DENIED.matcher(detail).find()) {
        draft.instead(item.get(), tree.tried(level, item.get().name()));
      }
    }
    if (draft.actions.size() == failed.size()) {
      ObjectNode plan = JSON.objectNode().put("mode", "add");
      plan.set("actions", draft.actions);
      return new Call(Tools.PLAN, plan);
    }
    String why = String.join("; ", failed);
    List<String> said = new ArrayList<>(prompt.lines(PlannerPrompt.GOALS));
    said.addAll(prompt.lines(PlannerPrompt.CONSTRAINTS));
    if (!tree.escalated() && SUPERVISOR.matcher(String.join("\n", said)).find()) {
      return new Call(Tools.ESCALATE, JSON.objectNode().put("question", "Go on? " + why));
    }
    boolean others = tree.items(level).stream().anyMatch(one -> !one.failed());
    return others ? goOn() : fail(why);
  }

  /** One more action where one fits what is missing, else what was done, and that once. */
  private Call refused(String level, String reason) {
    List<Item> items = tree.items(level);
    Optional<OfferedAction> more = best(reason, new HashSet<>(tree.keys()));
    if (more.isPresent() && more.get().match(reason) > 0.3) {
      Draft draft = new Draft(level, MissingNode.getInstance());
      draft.act(more.get(), reason, MissingNode.getInstance(), "", List.of());
      ObjectNode plan = JSON.objectNode().put("mode", "add");
      plan.set("actions", draft.actions);
      ObjectNode result = references(items);
      result.setAll(references(draft.names));
      plan.set("result", result);
      return new Call(Tools.PLAN, plan);
    }
    return tree.refusals() > 0 ? fail(reason) : whatIsDone(level, reason);
  }

  private Call whatIsDone(String level, String detail) {
    List<Item> done = tree.items(level).stream().filter(Item::done).toList();
    return done.isEmpty()
        ? fail(detail)
        : complete(
            done.size() == 1
                ? TextNode.valueOf("$results." + done.getFirst().name())
                : references(done));
  }

  private static ObjectNode references(List<?> names) {
    ObjectNode result = JSON.objectNode();
    for (Object one : names) {
      String name = one instanceof Item item ? item.done() ? item.name() : "" : one.toString();
      if (!name.isEmpty()) {
        result.put(name, "$results." + name);
      }
    }
    return result;
  }

  private Optional<OfferedAction> best(String step, Set<String> without) {
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

  /** Actions of one level, as they come together. */
  private final class Draft {

    private final String level;
    private final JsonNode input;
    private final ArrayNode actions = JSON.arrayNode();
    private final List<String> names = new ArrayList<>();
    private final List<String> unknown = new ArrayList<>();

    /** Those whose ends the next step waits for, and what it refers to. */
    private List<String> before = List.of();

    Draft(String level, JsonNode input) {
      this.level = level;
      this.input = input;
    }

    void add(GoalStep step) {
      if (step.each().isEmpty()) {
        JsonNode element = level.isEmpty() ? MissingNode.getInstance() : input;
        best(step.text(), Set.of())
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
      return given.isEmpty() && level.isEmpty() ? tree.lists(each) : given;
    }

    private List<String> forEach(GoalStep step, String each, List<JsonNode> elements) {
      List<String> ends = new ArrayList<>();
      List<String> first = before;
      List<GoalStep> steps = GoalStep.of(step.text());
      for (JsonNode element : elements) {
        if (actions.size() + (step.nested() ? 1 : steps.size()) > ahead) {
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
          Optional<OfferedAction> action = best(one.text(), Set.of());
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

    /** Adds an action that serves a step; its name. */
    String act(
        OfferedAction action, String step, JsonNode element, String each, List<String> after) {
      if (brief) {
        group(action).ifPresent(unknown::add);
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
      Optional<String> given = prompt.given(parameter, step);
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
                : references(after));
      }
      return Optional.of(GoalValues.filled(schema, parameter, step, prompt.texts(step)));
    }

    /** Another action, or the same one with values in place of references, for one that failed. */
    void instead(Item item, List<String> tried) {
      String step = step(item);
      Optional<OfferedAction> other = best(step, new HashSet<>(tried));
      double failed = actionsNamed(item.key()).map(one -> one.match(step)).orElse(1.0);
      if (other.isPresent() && other.get().match(step) >= NEAR_ENOUGH * failed) {
        String name = item.name();
        act(other.get(), step, MissingNode.getInstance(), "", List.of());
        ((ObjectNode) actions.get(actions.size() - 1)).put("name", name);
        item.parameters()
            .properties()
            .forEach(one -> {
              if (other.get().parameters().containsKey(one.getKey())) {
                ((ObjectNode) actions.get(actions.size() - 1).path("parameters"))
                    .set(one.getKey(), one.getValue());
              }
            });
      }
    }

    /** What an action was planned for: the step of the goals that it serves best. */
    private String step(Item item) {
      return actionsNamed(item.key())
          .flatMap(action ->
              prompt.goals().stream()
                  .flatMap(goal -> GoalStep.of(goal).stream())
                  .flatMap(one ->
                      one.each().isEmpty()
                          ? List.of(one).stream()
                          : GoalStep.of(one.text()).stream())
                  .max((a, b) -> Double.compare(action.match(a.text()), action.match(b.text())))
                  .map(GoalStep::text))
          .orElse(item.name());
    }

    JsonNode result() {
      return before.size() == 1
          ? TextNode.valueOf("$results." + before.getFirst())
          : references(before);
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
  }

  /** The group that an action stands in. */
  private Optional<String> group(OfferedAction action) {
    return prompt.lines(PlannerPrompt.ACTIONS).stream()
        .takeWhile(line -> !line.startsWith("`" + action.name() + "`"))
        .filter(line -> line.startsWith("group "))
        .reduce((one, next) -> next)
        .map(line -> line.substring(6).split(":")[0].strip());
  }

  private Optional<OfferedAction> actionsNamed(String key) {
    return actions.stream().filter(one -> one.name().equals(key)).findFirst();
  }

  /** A short name for an element: what stands behind its last slash. */
  private static String title(JsonNode element) {
    String text =
        element.isObject()
            ? element.valueStream()
                .filter(JsonNode::isTextual)
                .findFirst()
                .map(JsonNode::textValue)
                .orElse("part")
            : element.asText();
    return text.substring(text.lastIndexOf('/') + 1).replaceFirst("\\.\\w{1,5}$", "");
  }
}
