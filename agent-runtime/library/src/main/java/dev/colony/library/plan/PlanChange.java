package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.library.plan.PlanItem.End;
import dev.colony.library.plan.PlanItem.Outcome;
import dev.colony.library.plan.PlanItem.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Makes the next state of a plan of what was done or has come. Each method is a pure function of
 * the state; none asks a planner or executes anything.
 */
public final class PlanChange {

  private static final String UNDO = ".undo";

  private final PlanRules rules;

  public PlanChange(PlanRules rules) {
    this.rules = rules;
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
    PlanState counted =
        state
            .change()
            .triggers(state.triggers().stream().filter(one -> !triggers.contains(one)).toList())
            .cycles(state.cycles() + (PlanMachine.counts(state, triggers) ? 1 : 0))
            .revisions(state.revisions() + 1)
            .sinceRevision(0)
            .proposal(amendment instanceof Amendment.GoOn ? state.proposal() : Optional.empty())
            .made();
    PlanLevel.Revision revision =
        new PlanLevel.Revision(
            counted.revisions(),
            triggers.stream().map(Trigger::toString).toList(),
            amendment.strategy(),
            reason);
    PlanState noted = counted.withLevel(level, one -> one.revised(revision));
    PlanState failuresGone =
        amendment instanceof Amendment.GoOn
            ? noted.withLevel(
                level, one -> one.settle(PlanChange::failed, Status.ACCEPTED, "done without"))
            : noted.withLevel(
                level, one -> one.settle(PlanChange::failed, Status.DROPPED, "failed"));
    return settled(
        switch (amendment) {
          case Amendment.GoOn go -> failuresGone;
          case Amendment.Add add ->
              failuresGone.withLevel(level, one -> one.with(add.draft(), parent(state, level)));
          case Amendment.Revise revise ->
              failuresGone.withLevel(
                  level,
                  one ->
                      unfinishedDropped(one, revise.keep())
                          .result(Optional.empty())
                          .with(revise.draft(), parent(state, level)));
          case Amendment.Backtrack back -> backtracked(failuresGone, level, back);
          case Amendment.Escalate escalate -> escalated(noted, level, escalate.question());
          case Amendment.StartAnew anew -> anew(noted, anew.draft());
          case Amendment.Complete complete -> completed(failuresGone, level, complete.result());
          case Amendment.GiveUp giveUp -> givenUp(noted, level, giveUp.reason());
        });
  }

  private static boolean failed(PlanItem item) {
    return item.status() == Status.FAILED;
  }

  private static PlanLevel unfinishedDropped(PlanLevel level, Set<String> keep) {
    return level.settle(
        one -> !one.status().settled() && !keep.contains(one.name()), Status.DROPPED, "revised");
  }

  /** Ids of a level's actions begin with this. */
  private static String parent(PlanState state, String level) {
    return level.equals(PlanState.ROOT) ? state.prefix() : level;
  }

  private static PlanState backtracked(PlanState state, String level, Amendment.Backtrack back) {
    PlanLevel at = state.level(level);
    long since =
        at.named(back.to()).stream()
            .flatMap(PlanChange::leaves)
            .mapToLong(PlanItem::ended)
            .filter(ended -> ended > 0)
            .min()
            .orElse(Long.MAX_VALUE);
    List<String> undoing =
        at.items().stream()
            .flatMap(PlanChange::leaves)
            .filter(one -> one.status() == Status.DONE && one.ended() >= since)
            .filter(one -> one.action().undo().isPresent())
            .sorted(Comparator.comparingLong(PlanItem::ended).reversed())
            .map(PlanItem::id)
            .toList();
    Set<String> first = new HashSet<>(undoing);
    PlanLevel back1 = left(at, since, first);
    return state
        .change()
        .undoing(Stream.concat(state.undoing().stream(), undoing.stream()).distinct().toList())
        .made()
        .withLevel(
            level, one -> back1.result(Optional.empty()).with(back.draft(), parent(state, level)));
  }

  /** What is not taken back by an action of its own stands as undone or dropped at once. */
  private static PlanLevel left(PlanLevel level, long since, Set<String> undoing) {
    return level.items(
        level.items().stream()
            .map(
                one -> one.sub().isPresent() ? one.sub(left(one.sub().get(), since, undoing)) : one)
            .map(one -> {
              if (undoing.contains(one.id())) {
                return one;
              }
              if (!one.status().settled()) {
                return one.status(Status.DROPPED, "the plan went back");
              }
              return one.status().satisfies() && one.ended() >= since
                  ? one.status(Status.UNDONE, one.sub().isPresent() ? "" : "nothing takes it back")
                  : one;
            })
            .toList());
  }

  private static Stream<PlanItem> leaves(PlanItem item) {
    return item.sub().isPresent()
        ? item.sub().get().items().stream().flatMap(PlanChange::leaves)
        : Stream.of(item);
  }

  private static PlanState escalated(PlanState state, String level, String question) {
    int number = state.escalations() + 1;
    return state
        .change()
        .escalations(number)
        .escalation(Optional.of(new PlanState.Escalation(number, level, question)))
        .made();
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

  private static PlanState anew(PlanState state, PlanDraft draft) {
    PlanState cleared =
        state.change().generation(state.generation() + 1).triggers(List.of()).made();
    PlanLevel root =
        cleared
            .root()
            .orElseThrow()
            .items(List.of())
            .result(Optional.empty())
            .with(draft, cleared.prefix());
    return cleared.change().root(Optional.of(root)).made();
  }

  private static PlanState completed(PlanState state, String level, JsonNode result) {
    PlanState done =
        state.withLevel(level, one -> unfinishedDropped(one, Set.of()).result(Optional.of(result)));
    return level.equals(PlanState.ROOT)
        ? done.change().proposal(Optional.of(result)).triggers(List.of()).made()
        : done;
  }

  private PlanState givenUp(PlanState state, String level, String reason) {
    if (level.equals(PlanState.ROOT)) {
      return state.change().ending("gave up: " + reason).made();
    }
    PlanState counted = counted(state);
    return counted
        .withItem(
            level,
            item ->
                item.sub(unfinishedDropped(item.sub().orElseThrow(), Set.of()))
                    .status(Status.FAILED, reason)
                    .settled(Status.FAILED, counted.sequence()))
        .change()
        .trigger(
            new Trigger(
                Trigger.Kind.FAILED,
                state.above(level),
                "`" + name(state, level) + "` was given up: " + reason))
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

  private static PlanState counted(PlanState state) {
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

  private static String name(PlanState state, String id) {
    return state.item(id).map(PlanItem::name).orElse(id);
  }
}
