package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.ResumptionCondition;
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

  /** Revisions that a level remembers, the latest. */
  static final int REVISIONS_KEPT = 16;

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

  PlanLevel revised(Revision one) {
    List<Revision> all = new ArrayList<>(revisions);
    all.add(one);
    List<Revision> last = all.subList(Math.max(0, all.size() - REVISIONS_KEPT), all.size());
    return new PlanLevel(goal, items, variables, assumptions, result, last);
  }

  /**
   * The level below an action that a child agent carries out: spawn it with the goal as its task,
   * wait for it, and take what its run gave. Made by rule, without asking a model. The run is
   * suspended while it waits; a child that does not complete its task is a failed action of the
   * level; going back stops the child.
   */
  static final class Delegation {

    /** The keys of the actions on children, as capabilities offer them. */
    static final String SPAWN = "agent_spawn";

    static final String AWAIT = "agent_await";
    static final String TERMINATE = "agent_terminate";

    private Delegation() {}

    static PlanLevel level(PlanItem item, PlanAction.SubPlan work, String kind) {
      JsonNodeFactory json = JsonNodeFactory.instance;
      ObjectNode task = json.objectNode().put("goal", work.goal());
      if (!work.input().isNull()) {
        task.set("input", work.input());
      }
      ObjectNode spawn = json.objectNode().put("kind", kind).put("name", item.id());
      spawn.set("task", task);
      ObjectNode await = json.objectNode().put("suspend", true).put("completed", true);
      await.putArray("names").add(item.id());
      PlanAction.Call terminate =
          new PlanAction.Call(TERMINATE, json.objectNode().put("name", item.id()));
      return PlanLevel.empty(work.goal())
          .with(
              new PlanDraft(
                  List.of(
                      PlanAction.call("spawn", SPAWN, spawn).undo(terminate),
                      PlanAction.call("await", AWAIT, await).after("spawn")),
                  Map.of(),
                  List.of(),
                  Optional.of(TextNode.valueOf("$results.await.0.output"))),
              item.id());
    }
  }

  /**
   * An action in its place in a plan's tree, and what became of it.
   *
   * @param id unique within the run: the names on the way to it, joined by dots; the dispatcher
   *     knows the action by it
   * @param outcome of an action that was executed, the last attempt's
   * @param sub the level below a composite action, once there is a plan for it
   * @param ended the place in the order in which the plan's actions ended, from 1; 0 before
   * @param attempts how often it was given to the dispatcher and could not go on
   * @param note why it stands as it does, one line; empty for nothing to say
   */
  public record PlanItem(
      PlanAction action,
      String id,
      Status status,
      Optional<Outcome> outcome,
      Optional<PlanLevel> sub,
      long ended,
      int attempts,
      String note) {

    public enum Status {
      PENDING,
      /** A composite one, part of whose plan has been carried out. */
      OPEN,
      /** It has begun and cannot go on until something else has happened. */
      WAITING,
      DONE,
      FAILED,
      /** It failed, and the plan goes on without it. */
      ACCEPTED,
      /** It was done and its effect was taken back, or left where nothing takes it back. */
      UNDONE,
      /** A revision has taken it out before it was done. */
      DROPPED;

      /** Whether nothing more becomes of it, unless it is undone. */
      boolean settled() {
        return this == DONE || this == ACCEPTED || this == UNDONE || this == DROPPED;
      }

      /** Whether what waits for it may go on. */
      boolean satisfies() {
        return this == DONE || this == ACCEPTED;
      }
    }

    /** How an attempt ended. */
    public enum End {
      SUCCEEDED,
      FAILED,
      BLOCKED
    }

    /**
     * What an attempt came to.
     *
     * @param run in which it was made, whose results are referred to by the action's id
     * @param actionId as the dispatcher knew it
     * @param output a preview of it where it is large
     * @param whole whether {@code output} is all of it
     * @param person whether it waits for a person to approve it, and is tried again without the
     *     plan
     * @param error one line; empty for a success
     * @param until what an attempt that could not go on waits for; empty if that cannot be said
     */
    public record Outcome(
        String run,
        String actionId,
        End end,
        JsonNode output,
        boolean whole,
        boolean person,
        String error,
        Optional<ResumptionCondition> until) {
      public Outcome {
        Objects.requireNonNull(end, "end");
        output = output == null ? JsonNodeFactory.instance.nullNode() : output;
        error = error == null ? "" : error;
        until = until == null ? Optional.empty() : until;
      }
    }

    public PlanItem {
      Objects.requireNonNull(action, "action");
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(status, "status");
      Objects.requireNonNull(outcome, "outcome");
      Objects.requireNonNull(sub, "sub");
      note = note == null ? "" : note;
    }

    static PlanItem pending(PlanAction action, String id) {
      return new PlanItem(action, id, Status.PENDING, Optional.empty(), Optional.empty(), 0, 0, "");
    }

    /** The name by which actions of the same level refer to it. */
    public String name() {
      return action.name();
    }

    /** Waits for something that the plan itself has to look after, not for a person. */
    boolean waitsForWorld() {
      return status == Status.WAITING && outcome.filter(Outcome::person).isEmpty();
    }

    /** Of one that is dropped the parts are dropped that nothing has become of. */
    PlanItem status(Status next, String why) {
      Optional<PlanLevel> below =
          next == Status.DROPPED
              ? sub.map(level -> level.settle(PlanItem::unsettled, Status.DROPPED, why))
              : sub;
      return new PlanItem(action, id, next, outcome, below, ended, attempts, why);
    }

    private boolean unsettled() {
      return status == Status.PENDING || status == Status.OPEN || status == Status.WAITING;
    }

    PlanItem came(Status next, Outcome what, long place) {
      return new PlanItem(action, id, next, Optional.of(what), sub, place, 0, what.error());
    }

    PlanItem settled(Status next, long place) {
      return new PlanItem(action, id, next, outcome, sub, place, attempts, note);
    }

    PlanItem waiting(Outcome what) {
      return new PlanItem(
          action, id, Status.WAITING, Optional.of(what), sub, ended, attempts + 1, what.error());
    }

    /** What takes it back could not go on, and is tried under another id. */
    PlanItem again() {
      return new PlanItem(action, id, status, outcome, sub, ended, attempts + 1, note);
    }

    PlanItem sub(PlanLevel level) {
      return new PlanItem(action, id, status, outcome, Optional.of(level), ended, attempts, note);
    }
  }
}
