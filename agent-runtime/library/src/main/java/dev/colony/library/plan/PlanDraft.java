package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The actions of one level of a plan as a planner proposes them.
 *
 * @param actions in the planner's order; those that wait for nothing may run side by side
 * @param variables by name, which the level and those below it may refer to
 * @param assumptions patterns of blackboard keys whose change makes the plan doubtful; a star
 *     stands for any text
 * @param result what the level comes to once all of it is done, which may hold references; empty
 *     where the planner wants to see the results first
 */
public record PlanDraft(
    List<PlanAction> actions,
    Map<String, JsonNode> variables,
    List<String> assumptions,
    Optional<JsonNode> result) {

  public PlanDraft {
    actions = List.copyOf(actions);
    variables = Map.copyOf(variables);
    assumptions = List.copyOf(assumptions);
    result = result.filter(json -> !json.isNull());
  }

  public static PlanDraft of(PlanAction... actions) {
    return new PlanDraft(List.of(actions), Map.of(), List.of(), Optional.empty());
  }

  public PlanDraft result(JsonNode expression) {
    return new PlanDraft(actions, variables, assumptions, Optional.of(expression));
  }

  /** What the planner says that the actions cost together; 0 where it does not say. */
  public long costTokens() {
    return actions.stream().mapToLong(PlanAction::costTokens).sum();
  }

  /**
   * Why the draft cannot be carried out, one line each for its planner; empty if it can.
   *
   * @param most actions that it may have
   * @param known names of other actions that may be waited for and referred to
   */
  public List<String> problems(int most, Set<String> known) {
    List<String> problems = new ArrayList<>();
    if (actions.size() > most) {
      problems.add("it has %d actions, at most %d are taken".formatted(actions.size(), most));
    }
    if (actions.isEmpty() && result.isEmpty()) {
      problems.add("it has no actions, and does not say what it comes to without any");
    }
    for (String pattern : assumptions) {
      try {
        Objects.requireNonNull(new KeyGlob(pattern));
      } catch (IllegalArgumentException none) {
        problems.add("an assumption is a pattern of keys: " + none.getMessage());
      }
    }
    for (PlanAction one : actions) {
      if (one.composite() && one.expects().checkable()) {
        problems.add("`" + one.name() + "` is a sub-plan, of which only words can be expected");
      }
    }
    Set<String> own = new HashSet<>();
    for (PlanAction one : actions) {
      if (!own.add(one.name())) {
        problems.add("two actions are called `" + one.name() + "`: names must differ");
      }
    }
    Map<String, Set<String>> needs = new HashMap<>();
    for (PlanAction one : actions) {
      Set<String> inside = new LinkedHashSet<>();
      for (String name : needs(one)) {
        if (own.contains(name)) {
          inside.add(name);
        } else if (!known.contains(name) && referred(one).contains(name)) {
          problems.add("`%s` needs `%s`, but there is no such action".formatted(one.name(), name));
        }
      }
      needs.put(one.name(), inside);
    }
    result.ifPresent(expression ->
        References.results(expression).stream()
            .filter(name -> !own.contains(name) && !known.contains(name))
            .forEach(
                name -> problems.add("the result refers to `" + name + "`, which is no action")));
    cycle(needs)
        .ifPresent(names ->
            problems.add("these actions wait for each other: " + String.join(", ", names)));
    return problems;
  }

  /**
   * Names of the actions whose ends an action waits for: those that its parameters name included,
   * and those that children carry out whose exports they name.
   */
  static Set<String> needs(PlanAction action) {
    Set<String> names = referred(action);
    names.addAll(References.children(given(action)));
    return names;
  }

  /** The names among them that can be of nothing but actions. */
  private static Set<String> referred(PlanAction action) {
    Set<String> names = new LinkedHashSet<>(action.after());
    names.addAll(References.results(given(action)));
    return names;
  }

  private static JsonNode given(PlanAction action) {
    return switch (action.work()) {
      case PlanAction.Call call -> call.params();
      case PlanAction.SubPlan sub -> sub.input();
    };
  }

  /**
   * Those that are left when all that wait for none of the others are taken out, again and again.
   */
  private static Optional<List<String>> cycle(Map<String, Set<String>> needs) {
    Map<String, Set<String>> left = new HashMap<>(needs);
    while (true) {
      List<String> free =
          left.entrySet().stream()
              .filter(one -> one.getValue().stream().noneMatch(left::containsKey))
              .map(Map.Entry::getKey)
              .toList();
      if (free.isEmpty()) {
        return left.isEmpty()
            ? Optional.empty()
            : Optional.of(left.keySet().stream().sorted().toList());
      }
      free.forEach(left::remove);
    }
  }
}
