package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.Status;
import dev.colony.library.plan.PlanRules.Trigger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Says what a plan needs next. It looks at the plan's state alone, so that the same state asks for
 * the same on every node; {@link PlanChange} makes the next state of what was done. No planner is
 * asked while all that happens is what was expected.
 */
public final class PlanMachine {

  private final PlanRules rules;

  public PlanMachine(PlanRules rules) {
    this.rules = rules;
  }

  /** What is to be done now. Changes nothing; the caller does it and tells {@link PlanChange}. */
  public PlanStep next(PlanState state, CacheContext.Pages pages) {
    if (state.ending().isPresent()) {
      return new PlanStep.Ended();
    }
    if (state.escalation().isPresent()) {
      return new PlanStep.AwaitAnswer(state.escalation().get());
    }
    if (!state.undoing().isEmpty()) {
      return compensation(state);
    }
    if (!state.triggers().isEmpty()) {
      return revision(state, state.triggers());
    }
    if (state.proposal().isPresent()) {
      return new PlanStep.ProposeCompletion(
          References.in(state.levels(PlanState.ROOT), state.run())
              .rewritten(state.proposal().get()));
    }
    return state.planned()
        ? onward(state, pages)
        : new PlanStep.MakePlan(PlanState.ROOT, state.goal());
  }

  /**
   * Why a draft cannot be taken for a level, one line each for its planner; empty if it can.
   *
   * @param level the root, a level, or a composite action that has none yet
   * @param executed ids of other actions of the run, whose results may be referred to
   */
  public List<String> problems(
      PlanState state, String level, PlanDraft draft, Set<String> executed) {
    Set<String> known = new HashSet<>();
    executed.forEach(id -> known.add(References.head(id)));
    for (String at = level; !at.equals(PlanState.ROOT); at = state.above(at)) {
      state.item(at).flatMap(PlanItem::sub).ifPresent(one -> known.addAll(one.names()));
    }
    state.root().ifPresent(root -> known.addAll(root.names()));
    List<String> problems = new ArrayList<>(draft.problems(rules.ahead(), known));
    if (state.depth(level) + 1 >= rules.depth()) {
      draft.actions().stream()
          .filter(PlanAction::composite)
          .map(one ->
              "`%s` cannot have a plan of its own: there are %d levels at most"
                  .formatted(one.name(), rules.depth()))
          .forEach(problems::add);
    }
    return problems;
  }

  /** The level that all triggers concern: the lowest that holds all of theirs. */
  private static String concerned(PlanState state, List<Trigger> triggers) {
    String common = triggers.getFirst().level();
    for (Trigger one : triggers) {
      while (!common.equals(PlanState.ROOT) && !within(one.level(), common)) {
        common = state.above(common);
      }
    }
    return common;
  }

  private static boolean within(String level, String outer) {
    return level.equals(outer) || level.startsWith(outer + ".");
  }

  private PlanStep revision(PlanState state, List<Trigger> triggers) {
    String level = concerned(state, triggers);
    if (state.cycles() >= rules.maxReplanCycles() && counts(state, triggers)) {
      return new PlanStep.GiveUp(
          "the plan was revised %d times, as often as it may be; last for this reason: %s"
              .formatted(state.cycles(), triggers.getLast()));
    }
    return new PlanStep.Revise(level, triggers);
  }

  /** Going on where all actions planned so far are done is no replanning. */
  static boolean counts(PlanState state, List<Trigger> triggers) {
    return state.sinceRevision() == 0
        || triggers.stream().anyMatch(one -> one.kind() != Trigger.Kind.EXHAUSTED);
  }

  private PlanStep compensation(PlanState state) {
    PlanItem item = state.item(state.undoing().getFirst()).orElseThrow();
    Optional<PlanItem.Outcome> waits = state.undoWaits();
    if (waits.isPresent() && (waits.get().person() || !state.parked())) {
      return new PlanStep.Await(List.of(waits.get()));
    }
    PlanAction.Call undo = item.action().undo().orElseThrow();
    return new PlanStep.Compensate(due(state, item, PlanChange.undoId(item.id()), undo));
  }

  private PlanStep onward(PlanState state, CacheContext.Pages pages) {
    Walk walk = new Walk(state, pages);
    walk.gather(PlanState.ROOT);
    boolean mayOpen =
        !walk.opens.isEmpty() && (walk.open < rules.parallel() || walk.calls.isEmpty());
    boolean openFirst = rules.horizon() == PlanRules.Horizon.TOP_DOWN && mayOpen;
    if (!walk.calls.isEmpty() && !openFirst) {
      return new PlanStep.Perform(
          walk.calls.stream()
              .limit(rules.parallel())
              .map(item -> due(state, item, item.id(), (PlanAction.Call) item.action().work()))
              .toList());
    }
    if (mayOpen) {
      PlanItem first = walk.opens.getFirst();
      return new PlanStep.MakePlan(first.id(), ((PlanAction.SubPlan) first.action().work()).goal());
    }
    if (!walk.waiting.isEmpty()) {
      return new PlanStep.Await(
          walk.waiting.stream().flatMap(one -> one.outcome().stream()).toList());
    }
    return state.level(PlanState.ROOT).exhausted()
        ? exhausted(state)
        : revision(state, List.of(stuck(walk)));
  }

  private PlanStep exhausted(PlanState state) {
    Optional<JsonNode> result = state.level(PlanState.ROOT).result();
    if (result.isPresent()) {
      return new PlanStep.ProposeCompletion(
          References.in(state.levels(PlanState.ROOT), state.run()).rewritten(result.get()));
    }
    return revision(
        state,
        List.of(
            new Trigger(
                Trigger.Kind.EXHAUSTED,
                PlanState.ROOT,
                "all actions of the plan are done: is the goal reached, or what is next?")));
  }

  private static Trigger stuck(Walk walk) {
    return walk.obstacles.entrySet().stream()
        .findFirst()
        .map(one -> new Trigger(Trigger.Kind.STUCK, one.getKey(), one.getValue()))
        .orElse(
            new Trigger(
                Trigger.Kind.STUCK, PlanState.ROOT, "none of the actions that are left can begin"));
  }

  /** The action as the dispatcher is given it; one that could not go on under the next id. */
  private static PlanStep.Due due(PlanState state, PlanItem item, String id, PlanAction.Call call) {
    References references = References.in(state.levels(state.above(item.id())), state.run());
    return new PlanStep.Due(
        item.id(),
        item.attempts() == 0 ? id : id + "~" + (item.attempts() + 1),
        call.key(),
        references.rewritten(call.params()));
  }

  /** What the tree offers, from the root down. */
  private static final class Walk {
    private final PlanState state;
    private final CacheContext.Pages pages;
    private final List<PlanItem> calls = new ArrayList<>();
    private final List<PlanItem> opens = new ArrayList<>();
    private final List<PlanItem> waiting = new ArrayList<>();
    private final Map<String, String> obstacles = new HashMap<>();
    private int open;

    Walk(PlanState state, CacheContext.Pages pages) {
      this.state = state;
      this.pages = pages;
    }

    void gather(String levelId) {
      PlanLevel level = state.level(levelId);
      List<PlanItem> ready = level.ready();
      inCacheOrder(level, ready).stream()
          .filter(one -> !one.action().composite())
          .forEach(calls::add);
      for (PlanItem one : level.items()) {
        boolean begins = ready.contains(one);
        if (one.action().composite() && one.sub().isEmpty() && begins) {
          opens.add(one);
        } else if (one.sub().isPresent() && (one.status() == Status.OPEN || begins)) {
          open++;
          gather(one.id());
        } else if (one.status() == Status.WAITING) {
          waiting.add(one);
        }
      }
      level.obstacle().ifPresent(why -> obstacles.putIfAbsent(levelId, why));
    }

    /** As the cache has most of them, seen over all that is left on the level. */
    private List<PlanItem> inCacheOrder(PlanLevel level, List<PlanItem> ready) {
      List<PlanAction> left =
          level.items().stream()
              .filter(one -> !one.status().settled())
              .map(PlanItem::action)
              .toList();
      List<PlanAction> before =
          level.items().stream()
              .filter(one -> one.status() == Status.DONE && one.ended() > 0)
              .sorted(Comparator.comparingLong(PlanItem::ended))
              .map(PlanItem::action)
              .toList();
      List<PlanAction> order = CacheContext.ordered(before, left, pages);
      if (order.equals(left)) {
        return ready;
      }
      return ready.stream()
          .sorted((a, b) -> Integer.compare(order.indexOf(a.action()), order.indexOf(b.action())))
          .toList();
    }
  }

  public sealed interface PlanStep {

    /**
     * An action to give to the dispatcher.
     *
     * @param item its id in the plan
     * @param actionId unique within the run
     * @param params with references that the dispatcher resolves
     */
    record Due(String item, String actionId, String key, JsonNode params) {}

    /**
     * Ask the planner for the actions of a level.
     *
     * @param level the id of its composite action; empty for the whole plan
     */
    record MakePlan(String level, String goal) implements PlanStep {}

    /** Execute these, which wait for nothing, side by side; at least one. */
    record Perform(List<Due> actions) implements PlanStep {}

    /** Execute what takes the effect of an action back. */
    record Compensate(Due action) implements PlanStep {}

    /** Ask the planner what is to be done about a level. */
    record Revise(String level, List<Trigger> triggers) implements PlanStep {}

    record AwaitAnswer(PlanState.Escalation escalation) implements PlanStep {}

    /** Nothing can go on until what these attempts wait for has happened; at least one. */
    record Await(List<PlanItem.Outcome> attempts) implements PlanStep {}

    /**
     * Hold what the plan has come to against what the run has to give.
     *
     * @param result with references that the dispatcher resolves
     */
    record ProposeCompletion(JsonNode result) implements PlanStep {}

    record GiveUp(String reason) implements PlanStep {}

    /** Nothing: the plan has come to its end. */
    record Ended() implements PlanStep {}
  }
}
