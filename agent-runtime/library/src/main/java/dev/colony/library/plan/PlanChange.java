package dev.colony.library.plan;

import dev.colony.blackboard.key.KeyGlob;
import dev.colony.library.plan.PlanItem.End;
import dev.colony.library.plan.PlanItem.Outcome;
import dev.colony.library.plan.PlanItem.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes the next state of a plan of what was done or has come. Each method is a pure function of
 * the state; none asks a planner or executes anything.
 */
public final class PlanChange {

  private static final String UNDO = ".undo";

  private final PlanRules rules;
  private final int revisionsKept;

  /**
   * @param revisionsKept that a level remembers, 1 or more
   */
  public PlanChange(PlanRules rules, int revisionsKept) {
    this.rules = rules;
    this.revisionsKept = revisionsKept;
  }

  /** The id under which the dispatcher knows what takes an action back. */
  public static String undoId(String item) {
    return item + UNDO;
  }

  /** A planner has made a plan for a level that had none. */
  public PlanState planned(PlanState state, String level, PlanDraft draft) {
    PlanState with =
        level.equals(PlanState.ROOT)
            ? state
                .change()
                .root(
                    state
                        .root()
                        .or(() -> Optional.of(PlanLevel.empty(state.goal())))
                        .map(root -> root.with(draft, state.prefix())))
                .made()
            : state.withItem(
                level,
                item ->
                    item.status(Status.OPEN, "")
                        .sub(
                            PlanLevel.empty(((PlanAction.SubPlan) item.action().work()).goal())
                                .with(draft, level)));
    return settled(with);
  }

  /** An action was executed, or could not go on. */
  public PlanState performed(PlanState state, String id, Outcome outcome) {
    PlanState begun = opened(state.change().parked(false).made(), state.above(id));
    return switch (outcome.end()) {
      case BLOCKED -> begun.withItem(id, item -> item.waiting(outcome));
      case SUCCEEDED -> looked(settled(succeeded(begun, id, outcome)));
      case FAILED -> {
        PlanState failed = counted(begun);
        yield failed
            .withItem(id, item -> item.came(Status.FAILED, outcome, failed.sequence()))
            .change()
            .trigger(
                new Trigger(
                    Trigger.Kind.FAILED,
                    state.above(id),
                    "`" + name(state, id) + "` failed: " + outcome.error()))
            .made();
      }
    };
  }

  private PlanState succeeded(PlanState state, String id, Outcome outcome) {
    PlanState counted = counted(state);
    PlanState done =
        counted.withItem(id, item -> item.came(Status.DONE, outcome, counted.sequence()));
    Optional<String> deviation =
        outcome.whole()
            ? state.item(id).orElseThrow().action().expects().deviation(outcome.output())
            : Optional.empty();
    return deviation.isEmpty() || !rules.heeds(Trigger.Kind.UNEXPECTED)
        ? done
        : done.change()
            .trigger(
                new Trigger(
                    Trigger.Kind.UNEXPECTED,
                    state.above(id),
                    "`" + name(state, id) + "`: " + deviation.get()))
            .made();
  }

  private PlanState looked(PlanState state) {
    return rules.everySteps() > 0
            && rules.heeds(Trigger.Kind.STEPS)
            && state.sinceRevision() >= rules.everySteps()
            && state.root().filter(root -> !root.exhausted()).isPresent()
        ? state
            .change()
            .trigger(
                new Trigger(
                    Trigger.Kind.STEPS,
                    PlanState.ROOT,
                    state.sinceRevision() + " actions were done since the plan was made"))
            .made()
        : state;
  }

  /** What takes an action back was executed. An action is taken back once, with whatever result. */
  public PlanState compensated(PlanState state, Outcome outcome) {
    String id = state.undoing().getFirst();
    if (outcome.end() == End.BLOCKED) {
      return state
          .change()
          .parked(false)
          .undoWaits(Optional.of(outcome))
          .made()
          .withItem(id, PlanItem::again);
    }
    PlanState next =
        state
            .change()
            .parked(false)
            .undoWaits(Optional.empty())
            .undoing(state.undoing().subList(1, state.undoing().size()))
            .made();
    if (outcome.end() == End.SUCCEEDED) {
      return next.withItem(id, item -> item.status(Status.UNDONE, "taken back"));
    }
    return next.withItem(
            id, item -> item.status(Status.UNDONE, "not taken back: " + outcome.error()))
        .change()
        .trigger(
            new Trigger(
                Trigger.Kind.FAILED,
                state.above(id),
                "what `" + name(state, id) + "` did was not taken back: " + outcome.error()))
        .made();
  }

  /** A planner, or a rule, has said what is to be done about a level. */
  public PlanState amended(
      PlanState state, String level, List<Trigger> triggers, Amendment amendment, String reason) {
    return settled(PlanAmending.amended(state, level, triggers, amendment, reason, revisionsKept));
  }

  /** The supervisor has answered; the planner is told. */
  public PlanState answered(PlanState state, String answer) {
    String level = state.escalation().orElseThrow().level();
    return state
        .change()
        .escalation(Optional.empty())
        .trigger(new Trigger(Trigger.Kind.ANSWERED, level, answer))
        .made();
  }

  /** What was proposed does not hold; the planner is told why. */
  public PlanState refused(PlanState state, String reason) {
    return state
        .change()
        .proposal(Optional.empty())
        .trigger(new Trigger(Trigger.Kind.REFUSED, PlanState.ROOT, reason))
        .made()
        .withLevel(PlanState.ROOT, root -> root.result(Optional.empty()));
  }

  /** The plan has come to its end, as this says. */
  public PlanState ended(PlanState state, String how) {
    return state.change().ending(how).made();
  }

  /** The run waits; when it goes on, what waits is tried again. */
  public PlanState parked(PlanState state) {
    return state.change().parked(true).made();
  }

  /** The run goes on: what waited for the world is due again, if the run waited for that. */
  public PlanState woken(PlanState state) {
    if (!state.parked() || !state.undoing().isEmpty()) {
      return state;
    }
    List<String> due = state.items().filter(PlanItem::waitsForWorld).map(PlanItem::id).toList();
    PlanState next = state.change().parked(false).made();
    for (String id : due) {
      next = next.withItem(id, item -> item.status(Status.PENDING, item.note()));
    }
    return next;
  }

  /** What has come from outside. */
  public PlanState observed(PlanState state, PlanFacts facts) {
    if (state.root().isEmpty() || state.ending().isPresent()) {
      return state;
    }
    PlanState.Change change = state.change();
    assumptions(state, facts).forEach(change::trigger);
    if (rules.heeds(Trigger.Kind.EVENT)) {
      facts
          .news()
          .forEach(line -> change.trigger(new Trigger(Trigger.Kind.EVENT, PlanState.ROOT, line)));
    }
    if (rules.heeds(Trigger.Kind.PAGES)
        && !(facts.lost().isEmpty() && facts.regained().isEmpty())) {
      change.trigger(new Trigger(Trigger.Kind.PAGES, PlanState.ROOT, pages(facts)));
    }
    if (rules.heeds(Trigger.Kind.BUDGET)
        && !state.budgetTold()
        && facts.budgetLeft() < rules.budgetLow()) {
      change
          .budgetTold(true)
          .trigger(
              new Trigger(
                  Trigger.Kind.BUDGET,
                  PlanState.ROOT,
                  "%.0f%% of the run's budget is left".formatted(100 * facts.budgetLeft())));
    }
    return change.made();
  }

  private List<Trigger> assumptions(PlanState state, PlanFacts facts) {
    if (!rules.heeds(Trigger.Kind.ASSUMPTION) || facts.changed().isEmpty()) {
      return List.of();
    }
    List<Trigger> broken = new ArrayList<>();
    List<String> open = new ArrayList<>();
    open.add(PlanState.ROOT);
    state
        .items()
        .filter(one -> one.status() == Status.OPEN && one.sub().isPresent())
        .forEach(one -> open.add(one.id()));
    for (String level : open) {
      for (String pattern : state.level(level).assumptions()) {
        KeyGlob glob = new KeyGlob(pattern);
        facts.changed().stream()
            .filter(glob::matches)
            .sorted()
            .forEach(key ->
                broken.add(new Trigger(Trigger.Kind.ASSUMPTION, level, key + " has changed")));
      }
    }
    return broken;
  }

  private static String pages(PlanFacts facts) {
    List<String> parts = new ArrayList<>();
    if (!facts.lost().isEmpty()) {
      parts.add("no longer cached: " + String.join(", ", facts.lost().stream().sorted().toList()));
    }
    if (!facts.regained().isEmpty()) {
      parts.add("cached again: " + String.join(", ", facts.regained().stream().sorted().toList()));
    }
    return String.join("; ", parts);
  }

  static PlanState counted(PlanState state) {
    return state
        .change()
        .sequence(state.sequence() + 1)
        .sinceRevision(state.sinceRevision() + 1)
        .made();
  }

  /** The composite actions above what has begun have begun too. */
  private static PlanState opened(PlanState state, String level) {
    return level.equals(PlanState.ROOT)
        ? state
        : opened(
            state.withItem(
                level,
                item -> item.status() == Status.PENDING ? item.status(Status.OPEN, "") : item),
            state.above(level));
  }

  /** Composite actions all of whose plan is done are done; from below up. */
  private static PlanState settled(PlanState state) {
    Optional<String> over =
        state
            .items()
            .filter(one -> one.status() == Status.OPEN)
            .filter(one -> one.sub().filter(PlanLevel::exhausted).isPresent())
            .map(PlanItem::id)
            .findFirst();
    if (over.isEmpty()) {
      return state;
    }
    PlanState next = state.change().sequence(state.sequence() + 1).made();
    return settled(next.withItem(over.get(), item -> item.settled(Status.DONE, next.sequence())));
  }

  static String name(PlanState state, String id) {
    return state.item(id).map(PlanItem::name).orElse(id);
  }
}
