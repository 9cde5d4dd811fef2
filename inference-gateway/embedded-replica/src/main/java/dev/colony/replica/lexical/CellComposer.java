package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.vcm.words.Words;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays a model that writes cells of code, by its words: a line for each step of the goals, which
 * calls the function that shares most words with it, and a loop for {@code for each FILE: ...}.
 * Each step prints its result under its number, so that the next cell goes on behind the last of
 * them. For a step that failed it calls the function that fits second best, once, and gives up
 * then.
 */
final class CellComposer {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int REASON_CHARS = 600;

  /** A result is named, not shown: what it is stands in its variable. */
  private static final String SHOWN = "String(JSON.stringify(%s)).slice(0, 200)";

  private static final String ASK = "Reply with the next cell";
  private static final Pattern STEP = Pattern.compile("(?m)^step (\\d+): ");
  private static final Pattern ERROR = Pattern.compile("(?m)^Error: (.*)$");
  private static final Pattern DENIED = Pattern.compile("\\b(?:denied|refused)\\b");

  private final PlannerPrompt prompt;
  private final List<OfferedAction> functions;
  private final JsonNode input;
  private final StringBuilder code = new StringBuilder();
  private int elements;

  private CellComposer(PlannerPrompt prompt, List<OfferedAction> functions) {
    this.prompt = prompt;
    this.functions = functions;
    this.input = GoalValues.input(prompt.lines(PlannerPrompt.INPUT));
  }

  /** The next cell, or the end. */
  static Call call(LexicalPrompt asked) {
    List<OfferedAction> functions = new ArrayList<>();
    StringBuilder shown = new StringBuilder();
    for (String message : asked.context()) {
      int at = message.indexOf("## Functions\n");
      if (at >= 0) {
        message
            .substring(at)
            .lines()
            .forEach(line -> OfferedAction.ofSignature(line).ifPresent(functions::add));
      } else {
        shown.append(message).append('\n');
      }
    }
    shown.append(asked.request());
    return new CellComposer(PlannerPrompt.asWritten(asked), functions).call(shown.toString());
  }

  private Call call(String shown) {
    List<GoalStep> steps =
        prompt.goals().stream()
            .filter(goal -> !goal.startsWith(ASK))
            .flatMap(goal -> GoalStep.of(goal).stream())
            .toList();
    if (steps.isEmpty()) {
      return new Call(Tools.IDLE, JSON.objectNode());
    }
    int done = 0;
    int since = 0;
    Matcher step = STEP.matcher(shown);
    while (step.find()) {
      done = Integer.parseInt(step.group(1));
      since = step.end();
    }
    List<String> errors = new ArrayList<>();
    ERROR.matcher(shown.substring(since)).results().forEach(one -> errors.add(one.group(1)));
    boolean denied = errors.stream().anyMatch(one -> DENIED.matcher(one).find());
    if (denied || errors.size() > 1) {
      return fail(errors.getLast());
    }
    if (done >= steps.size()) {
      return errors.isEmpty() ? complete(JSON.textNode("$r" + done)) : fail(errors.getLast());
    }
    boolean written = written(steps, done, errors.isEmpty() ? 0 : 1);
    if (!written && !errors.isEmpty()) {
      return fail(errors.getLast());
    }
    if (!written) {
      String all = String.join(" ", prompt.goals());
      return complete(GoalValues.filled(JSON.objectNode(), "", all, prompt.texts(all)));
    }
    return new Call(Tools.RUN_CELL, JSON.objectNode().put("code", code.toString()));
  }

  private static Call complete(JsonNode result) {
    ObjectNode arguments = JSON.objectNode();
    arguments.set("result", result);
    return new Call(Tools.COMPLETE, arguments);
  }

  private static Call fail(String reason) {
    return new Call(
        Tools.FAIL, JSON.objectNode().put("reason", WellFormed.head(reason, REASON_CHARS)));
  }

  /** Writes the steps behind those that are done; whether any function is called. */
  private boolean written(List<GoalStep> steps, int done, int skipped) {
    boolean called = false;
    String last = done == 0 ? "" : "r" + done;
    for (int i = done; i < steps.size(); i++) {
      String result = "r" + (i + 1);
      if (step(
          steps.get(i),
          result,
          last,
          new Element("", MissingNode.getInstance(), ""),
          "",
          i == done ? skipped : 0)) {
        called = true;
        last = result;
      } else if (i == done && skipped > 0) {
        return false;
      } else {
        code.append("const %s = null\n".formatted(result));
      }
      code.append("print('step %d:', %s)\n".formatted(i + 1, SHOWN.formatted(result)));
    }
    if (called) {
      code.append("complete(%s)".formatted(last));
    }
    return called;
  }

  /** An element of a loop: its variable, its value where that is known, and what it is called. */
  private record Element(String variable, JsonNode value, String name) {}

  private boolean step(
      GoalStep step, String result, String last, Element element, String indent, int skipped) {
    if (step.each().isPresent()) {
      return loop(step, result, last, element, indent);
    }
    Optional<OfferedAction> function = best(step.text(), skipped);
    function.ifPresent(one ->
        code.append(indent)
            .append(
                "const %s = %s(%s)\n"
                    .formatted(result, one.name(), given(one, step.text(), last, element))));
    return function.isPresent();
  }

  private boolean loop(GoalStep step, String result, String last, Element around, String indent) {
    String each = step.each().get();
    Element element = new Element("e" + ++elements, MissingNode.getInstance(), each);
    int before = code.length();
    code.append(indent).append("const %s = []\n".formatted(result));
    code.append(indent)
        .append("for (const %s of %s) {\n".formatted(element.variable(), list(each, last, around)));
    String inner = "";
    boolean called = false;
    int number = 0;
    for (GoalStep one : GoalStep.of(step.text())) {
      String name = result + "_" + ++number;
      if (step(one, name, inner, element, indent + "  ", 0)) {
        inner = name;
        called = true;
      }
    }
    if (!called) {
      code.setLength(before);
      return false;
    }
    code.append(indent).append("  %s.push(%s)\n".formatted(result, inner));
    code.append(indent).append("}\n");
    return true;
  }

  /** What a loop goes through: a list of the input, or of what stands before. */
  private String list(String each, String last, Element around) {
    List<JsonNode> given = GoalValues.elements(input, each);
    if (around.variable().isEmpty() && !given.isEmpty()) {
      return JSON.arrayNode().addAll(given).toString();
    }
    String from = last.isEmpty() ? around.variable() : last;
    if (from.isEmpty()) {
      return "[]";
    }
    String field = each.substring(each.lastIndexOf(' ') + 1).replaceFirst("(?<!s)$", "s");
    return "(Array.isArray(%1$s) ? %1$s : %1$s.%2$s ?? Object.values(%1$s).find(Array.isArray) ?? [])"
        .formatted(from, field.replaceAll("\\W", "_"));
  }

  private Optional<OfferedAction> best(String step, int skipped) {
    Set<String> without = new HashSet<>();
    Optional<OfferedAction> best = Optional.empty();
    for (int i = 0; i <= skipped; i++) {
      best.ifPresent(one -> without.add(one.name()));
      best =
          functions.stream()
              .filter(one -> !without.contains(one.name()))
              .filter(one -> one.match(step) > LexicalPlanner.LEAST_MATCH)
              .reduce((a, b) -> b.match(step) > a.match(step) ? b : a);
    }
    return best;
  }

  private String given(OfferedAction function, String step, String last, Element element) {
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : function.parameters().entrySet()) {
      boolean required = function.required().contains(one.getKey());
      boolean only = required && function.required().size() == 1;
      value(one.getKey(), one.getValue(), step, last, element, required, only)
          .ifPresent(value -> fields.add(JSON.textNode(one.getKey()) + ": " + value));
    }
    return fields.isEmpty() ? "" : "{" + String.join(", ", fields) + "}";
  }

  private Optional<String> value(
      String parameter,
      JsonNode schema,
      String step,
      String last,
      Element element,
      boolean required,
      boolean only) {
    Optional<String> given = prompt.given(parameter, step);
    if (given.isPresent()) {
      JsonNode json = GoalValues.parsed(given.get());
      return Optional.of(
          (json.isMissingNode()
                  ? GoalValues.filled(schema, parameter, given.get(), List.of(given.get()))
                  : json)
              .toString());
    }
    if (!required) {
      return Optional.empty();
    }
    String type = schema.path("type").asText("");
    boolean whole = type.isEmpty() && !schema.has("enum") || type.equals("object");
    boolean quotes = !GoalValues.quoted(step).isEmpty();
    boolean back =
        !last.isEmpty()
            && !quotes
            && (whole || type.equals("array") || GoalValues.refersBack(step, parameter));
    boolean named = Words.stems(parameter).stream().anyMatch(Words.stems(element.name())::contains);
    if (!element.variable().isEmpty() && (only && !back || named || !back && !quotes)) {
      return Optional.of("(%1$s.%2$s ?? %1$s)".formatted(element.variable(), parameter));
    }
    return Optional.of(
        back ? last : GoalValues.filled(schema, parameter, step, prompt.texts(step)).toString());
  }
}
