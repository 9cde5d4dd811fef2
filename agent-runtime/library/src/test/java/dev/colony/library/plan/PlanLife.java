package dev.colony.library.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.library.plan.PlanChange.Amendment;
import dev.colony.library.plan.PlanChange.PlanFacts;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.End;
import dev.colony.library.plan.PlanLevel.PlanItem.Outcome;
import dev.colony.library.plan.PlanMachine.PlanStep;
import dev.colony.library.plan.PlanRules.Trigger;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * The life of a plan under a planner and a world that do anything they may, drawn from a seed. It
 * keeps what was carried out and fails where an action is carried out again, before what it needs,
 * or is taken back out of order.
 */
final class PlanLife {

  static final PlanRules RULES =
      new PlanRules(PlanRules.Horizon.MPC, 8, 4, 3, 5, EnumSet.allOf(Trigger.Kind.class), 0.1);

  private static final String RUN = "run";

  final List<String> trace = new ArrayList<>();
  final List<String> undone = new ArrayList<>();
  private final Random random;
  private final PlanRules rules;
  private final PlanMachine machine;
  private final PlanChange change;
  private final Set<String> ended = new HashSet<>();
  private final Set<String> actionIds = new HashSet<>();
  private final boolean stored;
  PlanState state = PlanState.of(RUN, "the goal");

  /**
   * @param stored whether the state is written as JSON and read back between any two steps
   */
  PlanLife(long seed, PlanRules rules, boolean stored) {
    this.random = new Random(seed);
    this.rules = rules;
    this.machine = new PlanMachine(rules);
    this.change = new PlanChange(rules);
    this.stored = stored;
  }

  /** Lives until the plan has ended, or for so many steps; says how it ended. */
  Optional<String> live(int steps) {
    for (int step = 0; step < steps && state.ending().isEmpty(); step++) {
      if (stored) {
        PlanState read = (PlanState) JsonValues.read(JsonValues.toJson(state), PlanState.class);
        check(read.equals(state), "reads back as " + read + " what was " + state);
        state = read;
      }
      PlanStep next = machine.next(state, CacheContext.Pages.UNKNOWN);
      check(next.equals(machine.next(state, CacheContext.Pages.UNKNOWN)), "says two things");
      trace.add(next.toString());
      take(next);
      check(state.cycles() <= rules.maxReplanCycles(), "revised too often: " + state.cycles());
      if (random.nextInt(8) == 0) {
        state = change.observed(state, PlanFacts.NONE.news("news " + step));
      }
    }
    return state.ending();
  }

  private void take(PlanStep next) {
    switch (next) {
      case PlanStep.MakePlan make ->
          state = change.planned(state, make.level(), draft(make.level()));
      case PlanStep.Perform perform -> {
        check(perform.actions().size() <= rules.parallel(), "too many side by side");
        perform.actions().forEach(this::begins);
        perform.actions().forEach(this::performed);
      }
      case PlanStep.Compensate compensate -> compensated(compensate.action());
      case PlanStep.Revise revise -> amended(revise.level(), revise.triggers());
      case PlanStep.AwaitAnswer await -> state = change.answered(state, "try again");
      case PlanStep.Await await -> {
        state = change.woken(change.parked(state));
        await.attempts().stream()
            .filter(Outcome::person)
            .findFirst()
            .ifPresent(this::answeredByPerson);
      }
      case PlanStep.ProposeCompletion proposed ->
          state =
              random.nextInt(3) == 0
                  ? change.refused(state, "not good enough")
                  : change.ended(state, "completed");
      case PlanStep.GiveUp giveUp -> state = change.ended(state, giveUp.reason());
      case PlanStep.Ended end -> throw new AssertionError("the plan had ended");
    }
  }

  private void begins(PlanStep.Due due) {
    check(actionIds.add(due.actionId()), "the id is used again: " + due.actionId());
    PlanItem item = state.item(due.item()).orElseThrow();
    check(!ended.contains(item.id()), "is carried out again: " + item.id());
    for (String need : PlanDraft.needs(item.action())) {
      state
          .level(state.above(item.id()))
          .named(need)
          .ifPresent(
              one -> check(one.status().satisfies(), item.id() + " does not wait for " + need));
    }
  }

  private void performed(PlanStep.Due due) {
    int drawn = random.nextInt(10);
    End end = drawn == 0 ? End.BLOCKED : drawn < 3 ? End.FAILED : End.SUCCEEDED;
    if (end != End.BLOCKED) {
      ended.add(due.item());
    }
    boolean person = end == End.BLOCKED && random.nextBoolean();
    state = change.performed(state, due.item(), outcome(due.actionId(), end, person));
  }

  /** A person has said yes: the action was executed beside the plan. */
  private void answeredByPerson(Outcome waited) {
    Outcome done = outcome(waited.actionId(), End.SUCCEEDED, false);
    if (!state.undoing().isEmpty()) {
      undone(state.undoing().getFirst());
      state = change.compensated(state, done);
      return;
    }
    state
        .items()
        .filter(one -> one.outcome().filter(waited::equals).isPresent())
        .findFirst()
        .ifPresent(item -> {
          check(ended.add(item.id()), "is carried out again: " + item.id());
          state = change.performed(state, item.id(), done);
        });
  }

  private void compensated(PlanStep.Due due) {
    check(actionIds.add(due.actionId()), "the id is used again: " + due.actionId());
    int drawn = random.nextInt(10);
    End end = drawn == 0 ? End.BLOCKED : drawn == 1 ? End.FAILED : End.SUCCEEDED;
    boolean person = end == End.BLOCKED && random.nextBoolean();
    if (end != End.BLOCKED) {
      undone(due.item());
    }
    state = change.compensated(state, outcome(due.actionId(), end, person));
  }

  private void undone(String item) {
    check(!undone.contains(item), "is taken back again: " + item);
    undone.add(item);
    long ended = state.item(item).orElseThrow().ended();
    state.undoing().stream()
        .skip(1)
        .forEach(later ->
            check(state.item(later).orElseThrow().ended() < ended, "is taken back out of order"));
  }

  private static Outcome outcome(String id, End end, boolean person) {
    String error = end == End.SUCCEEDED ? "" : "did not work";
    return new Outcome(
        RUN, id, end, TextNode.valueOf("out " + id), true, person, error, Optional.empty());
  }

  private void amended(String level, List<Trigger> triggers) {
    Amendment amendment = amendment(level);
    state = change.amended(state, level, triggers, amendment, "drawn");
  }

  private Amendment amendment(String level) {
    return switch (random.nextInt(9)) {
      case 0 -> new Amendment.GoOn();
      case 1 -> new Amendment.Add(draft(level));
      case 2 -> new Amendment.Revise(draft(level), kept(level));
      case 3, 4 -> new Amendment.Backtrack(anyName(level), draft(level));
      case 5 -> new Amendment.Escalate("what now?");
      case 6 -> new Amendment.StartAnew(draft(PlanState.ROOT));
      case 7 -> new Amendment.Complete(TextNode.valueOf("all done"));
      default -> new Amendment.GiveUp("no way");
    };
  }

  private Set<String> kept(String level) {
    return random.nextBoolean() ? Set.of() : Set.of(anyName(level));
  }

  private String anyName(String level) {
    List<PlanItem> items = state.level(level).items();
    return items.isEmpty() ? "a" : items.get(random.nextInt(items.size())).name();
  }

  /** A draft that the machine takes. */
  private PlanDraft draft(String level) {
    boolean deeper = state.depth(level) + 1 < rules.depth();
    List<PlanAction> actions = new ArrayList<>();
    int many = 1 + random.nextInt(5);
    for (int at = 0; at < many; at++) {
      String name = "" + (char) ('a' + at);
      PlanAction action =
          deeper && random.nextInt(4) == 0
              ? PlanAction.subPlan(name, "the goal of " + name)
              : call(name, actions);
      if (at > 0 && random.nextBoolean()) {
        action = action.after(actions.get(random.nextInt(at)).name());
      }
      actions.add(random.nextInt(6) == 0 ? action.aggregating() : action);
    }
    PlanDraft draft = PlanDraft.of(withoutDeadlock(actions));
    PlanDraft whole = random.nextBoolean() ? draft.result(TextNode.valueOf("$results.a")) : draft;
    check(machine.problems(state, level, whole, Set.of()).isEmpty(), "a bad draft was drawn");
    return whole;
  }

  /** One that sums up the others must not be waited for by them. */
  private static PlanAction[] withoutDeadlock(List<PlanAction> actions) {
    boolean last = actions.getLast().aggregates();
    return actions.stream()
        .map(one ->
            one.aggregates() && (one != actions.getLast() || !last)
                ? new PlanAction(
                    one.name(),
                    one.work(),
                    one.expects(),
                    one.pages(),
                    one.costTokens(),
                    one.undo(),
                    one.after(),
                    false)
                : one)
        .toArray(PlanAction[]::new);
  }

  private PlanAction call(String name, List<PlanAction> before) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    if (!before.isEmpty() && random.nextInt(3) == 0) {
      params.put("of", "$results." + before.get(random.nextInt(before.size())).name());
    }
    PlanAction action = PlanAction.call(name, "do", params);
    return random.nextBoolean()
        ? action.undo(
            new PlanAction.Call(
                "undo", JsonNodeFactory.instance.objectNode().put("of", "$results." + name)))
        : action;
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
