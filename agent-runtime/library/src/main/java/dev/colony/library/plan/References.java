package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.action.Ref;
import dev.colony.library.plan.PlanLevel.PlanItem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * References within a plan. A planner names actions as its level does and variables as they are
 * known there; the dispatcher knows actions by ids that are unique within the run and no variables
 * of plans. Names are looked up in the level that they stand in, then in those above.
 */
final class References {

  /** Variables and results that stand for one another, at most. */
  private static final int MOST_STEPS = 32;

  /** From the level that the text stands in up to the root. */
  private final List<PlanLevel> levels;

  private final String run;

  private References(List<PlanLevel> levels, String run) {
    this.levels = levels;
    this.run = run;
  }

  /**
   * Of a level of a plan.
   *
   * @param levels from that level up to the root
   * @param run whose results the dispatcher has; of others what the plan itself kept stands in
   */
  static References in(List<PlanLevel> levels, String run) {
    return new References(levels, run);
  }

  /** The names of actions whose results a value refers to, in their order. */
  static Set<String> results(JsonNode value) {
    Set<String> names = new LinkedHashSet<>();
    collect(value, Ref.Kind.RESULTS, names);
    return names;
  }

  private static void collect(JsonNode value, Ref.Kind kind, Set<String> names) {
    if (value.isTextual()) {
      Ref.parse(value.textValue())
          .filter(ref -> ref.kind() == kind)
          .ifPresent(ref -> names.add(head(ref.name())));
    } else {
      value.forEach(inner -> collect(inner, kind, names));
    }
  }

  /** The names of children whose exports a value refers to, in their order. */
  static Set<String> children(JsonNode value) {
    Set<String> names = new LinkedHashSet<>();
    collect(value, Ref.Kind.CHILDREN, names);
    return names;
  }

  /**
   * A copy in which references to actions and variables of the plan are such that the dispatcher
   * resolves. Those that it cannot follow stand as they are, for the dispatcher to refuse.
   */
  JsonNode rewritten(JsonNode value) {
    return rewritten(value, 0);
  }

  private JsonNode rewritten(JsonNode value, int steps) {
    if (value.isTextual()) {
      return Ref.parse(value.textValue())
          .filter(ref -> steps < MOST_STEPS)
          .flatMap(ref -> target(ref, steps + 1))
          .orElse(value);
    }
    if (value.isObject()) {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      value.properties().forEach(one -> object.set(one.getKey(), rewritten(one.getValue(), steps)));
      return object;
    }
    if (value.isArray()) {
      ArrayNode array = JsonNodeFactory.instance.arrayNode();
      value.forEach(one -> array.add(rewritten(one, steps)));
      return array;
    }
    return value;
  }

  private Optional<JsonNode> target(Ref ref, int steps) {
    return switch (ref.kind()) {
      case RESULTS -> result(head(ref.name()), tail(ref.name()), steps);
      case VARIABLE -> variable(ref.name(), ref.path(), steps);
      case CHILDREN -> child(head(ref.name()), tail(ref.name()));
      case GLOBAL, SHARED -> Optional.empty();
    };
  }

  /** The child that a composite action was delegated to has the action's id as its name. */
  private Optional<JsonNode> child(String name, List<String> path) {
    return levels.stream()
        .flatMap(level -> level.named(name).stream())
        .findFirst()
        .filter(item ->
            item.action().work() instanceof PlanAction.SubPlan sub && sub.delegate().isPresent())
        .map(item -> TextNode.valueOf(joined("$children." + item.id(), path)));
  }

  private Optional<JsonNode> result(String name, List<String> path, int steps) {
    for (int at = 0; at < levels.size(); at++) {
      Optional<PlanItem> item = levels.get(at).named(name);
      if (item.isPresent()) {
        return output(item.get(), levels.subList(at, levels.size()), path, steps);
      }
    }
    return Optional.empty();
  }

  /** Of a composite action, what its level says; of another one, what the dispatcher has. */
  private Optional<JsonNode> output(
      PlanItem item, List<PlanLevel> around, List<String> path, int steps) {
    if (item.sub().isEmpty()) {
      return item.outcome().flatMap(outcome -> outcome(outcome, path));
    }
    PlanLevel sub = item.sub().get();
    List<PlanLevel> inside = new ArrayList<>(around);
    inside.addFirst(sub);
    Optional<PlanItem> below =
        path.isEmpty() || steps >= MOST_STEPS ? Optional.empty() : sub.named(path.getFirst());
    if (sub.result().isEmpty() && below.isPresent()) {
      return new References(inside, run)
          .output(below.get(), inside, path.subList(1, path.size()), steps + 1);
    }
    if (sub.result().isPresent()) {
      return at(new References(inside, run).rewritten(sub.result().get(), steps), path);
    }
    return sub.items().reversed().stream()
        .filter(one -> one.status() == PlanItem.Status.DONE)
        .findFirst()
        .filter(one -> steps < MOST_STEPS)
        .flatMap(last -> new References(inside, run).output(last, inside, path, steps + 1));
  }

  private Optional<JsonNode> outcome(PlanItem.Outcome outcome, List<String> path) {
    if (outcome.run().equals(run)) {
      return Optional.of(TextNode.valueOf(joined("$results." + outcome.actionId(), path)));
    }
    return outcome.whole() ? at(Ref.verbatim(outcome.output()), path) : Optional.empty();
  }

  private Optional<JsonNode> variable(String name, List<String> path, int steps) {
    for (int at = 0; at < levels.size(); at++) {
      JsonNode expression = levels.get(at).variables().get(name);
      if (expression != null) {
        References there = new References(levels.subList(at, levels.size()), run);
        return at(there.rewritten(expression, steps), path);
      }
    }
    return Optional.empty();
  }

  /** Goes down into a value; below a reference the path becomes part of it. */
  private static Optional<JsonNode> at(JsonNode value, List<String> path) {
    JsonNode at = value;
    for (int step = 0; step < path.size(); step++) {
      if (at.isTextual() && Ref.parse(at.textValue()).isPresent()) {
        return Optional.of(
            TextNode.valueOf(joined(at.textValue(), path.subList(step, path.size()))));
      }
      String name = path.get(step);
      at =
          at.isArray() && name.matches("\\d{1,9}")
              ? at.path(Integer.parseInt(name))
              : at.path(name);
    }
    return at.isMissingNode() ? Optional.empty() : Optional.of(at);
  }

  private static String joined(String reference, List<String> path) {
    return path.isEmpty() ? reference : reference + "." + String.join(".", path);
  }

  static String head(String name) {
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }

  private static List<String> tail(String name) {
    int dot = name.indexOf('.');
    return dot < 0 ? List.of() : Arrays.asList(name.substring(dot + 1).split("\\."));
  }
}
