package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One level of a plan's tree: the actions that between them reach a goal, those of earlier
 * revisions included.
 *
 * @param items in the order in which planners wrote them
 * @param variables read through by the levels below
 * @param assumptions patterns of blackboard keys
 * @param result what the level comes to once all is done; empty where that is not said
 * @param revisions the last of them, the oldest first
 */
public record PlanLevel(
    String goal,
    List<PlanItem> items,
    Map<String, JsonNode> variables,
    List<String> assumptions,
    Optional<JsonNode> result,
    List<Revision> revisions) {

  /**
   * That a level was planned again.
   *
   * @param number of all revisions of the plan, from 1
   * @param triggers why, one line each
   * @param strategy what was done about it
   * @param reason in the planner's words; empty where a rule decided
   */
  public record Revision(int number, List<String> triggers, String strategy, String reason) {
    public Revision {
      triggers = List.copyOf(triggers);
      Objects.requireNonNull(strategy, "strategy");
      reason = reason == null ? "" : reason;
    }
  }

  public PlanLevel {
    Objects.requireNonNull(goal, "goal");
    // What is absent is read as JSON null.
    result = result.filter(json -> !json.isNull());
    items = List.copyOf(items);
    variables = Map.copyOf(variables);
    assumptions = List.copyOf(assumptions);
    revisions = List.copyOf(revisions);
  }

  /** A level that nothing has been planned for. */
  static PlanLevel empty(String goal) {
    return new PlanLevel(goal, List.of(), Map.of(), List.of(), Optional.empty(), List.of());
  }

  /** The latest action of a name. */
  public Optional<PlanItem> named(String name) {
    return items.reversed().stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /** Names that new actions may wait for and refer to. */
  Set<String> names() {
    Set<String> names = new HashSet<>();
    for (PlanItem one : items) {
      if (one.status() == PlanItem.Status.UNDONE
          || one.status() == PlanItem.Status.DROPPED
          || one.status() == PlanItem.Status.FAILED) {
        names.remove(one.name());
      } else {
        names.add(one.name());
      }
    }
    return names;
  }

  /** Whether all that was planned has come to its end, or the level ended without any. */
  boolean exhausted() {
    return (!items.isEmpty() || result.isPresent())
        && items.stream().allMatch(one -> one.status().settled());
  }

  /** Those that may begin: what they wait for is done, and they have not begun. */
  List<PlanItem> ready() {
    return items.stream()
        .filter(one -> one.status() == PlanItem.Status.PENDING)
        .filter(one -> PlanDraft.needs(one.action()).stream().allMatch(this::satisfied))
        .filter(one -> !one.action().aggregates() || partsSettled(one))
        .toList();
  }

  /** A name that is none of this level's is one of a level above, which was done before. */
  private boolean satisfied(String name) {
    return named(name).map(one -> one.status().satisfies()).orElse(true);
  }

  private boolean partsSettled(PlanItem aggregate) {
    return items.stream()
        .filter(one -> one != aggregate && !one.action().aggregates())
        .allMatch(one -> one.status().settled());
  }

  /** What keeps the first action that has not begun from beginning, one line; empty for nothing. */
  Optional<String> obstacle() {
    for (PlanItem one : items) {
      if (one.status() == PlanItem.Status.PENDING) {
        for (String name : PlanDraft.needs(one.action())) {
          Optional<PlanItem> needed = named(name).filter(item -> item.status().settled());
          if (needed.isPresent() && !needed.get().status().satisfies()) {
            return Optional.of(
                "`%s` waits for `%s`, which was %s"
                    .formatted(
                        one.name(),
                        name,
                        needed.get().status() == PlanItem.Status.UNDONE ? "undone" : "dropped"));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** The same with further actions, variables and assumptions, and the draft's result if any. */
  PlanLevel with(PlanDraft draft, String parent) {
    List<PlanItem> all = new ArrayList<>(items);
    Set<String> taken = new HashSet<>();
    items.forEach(one -> taken.add(one.id()));
    for (PlanAction action : draft.actions()) {
      String id = unique(parent, action.name(), taken);
      PlanItem item = PlanItem.pending(action, id);
      all.add(
          action.work() instanceof PlanAction.SubPlan sub && sub.delegate().isPresent()
              ? item.sub(Delegation.level(item, sub, sub.delegate().get()))
              : item);
    }
    Map<String, JsonNode> merged = new HashMap<>(variables);
    merged.putAll(draft.variables());
    Set<String> assumed = new LinkedHashSet<>(assumptions);
    assumed.addAll(draft.assumptions());
    return new PlanLevel(
        goal, all, merged, List.copyOf(assumed), draft.result().or(() -> result), revisions);
  }

  private static String unique(String parent, String name, Set<String> taken) {
    String first = parent.isEmpty() ? name : parent + "." + name;
    String id = first;
    for (int times = 2; !taken.add(id); times++) {
      id = first + "-" + times;
    }
    return id;
  }

  PlanLevel items(List<PlanItem> others) {
    return new PlanLevel(goal, others, variables, assumptions, result, revisions);
  }

  /** The same, those that fit standing otherwise. */
  PlanLevel settle(Predicate<PlanItem> which, PlanItem.Status status, String why) {
    return items(
        items.stream().map(one -> which.test(one) ? one.status(status, why) : one).toList());
  }

  PlanLevel result(Optional<JsonNode> other) {
    return new PlanLevel(goal, items, variables, assumptions, other, revisions);
  }

  /** The same with another revision, of which it remembers so many. */
  PlanLevel revised(Revision one, int kept) {
    List<Revision> all = new ArrayList<>(revisions);
    all.add(one);
    List<Revision> last = all.subList(Math.max(0, all.size() - kept), all.size());
    return new PlanLevel(goal, items, variables, assumptions, result, last);
  }
}
