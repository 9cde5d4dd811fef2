package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.End;
import dev.colony.library.plan.PlanLevel.PlanItem.Outcome;
import dev.colony.library.plan.PlanLevel.PlanItem.Status;
import dev.colony.library.plan.PlanRules.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

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
            ? state.with(next ->
                next.root =
                    next.root
                        .or(() -> Optional.of(PlanLevel.empty(state.goal())))
                        .map(root -> root.with(draft, state.prefix())))
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
    PlanState begun = opened(state.with(next -> next.parked = false), state.above(id));
    return switch (outcome.end()) {
      case BLOCKED -> begun.withItem(id, item -> item.waiting(outcome));
      case SUCCEEDED -> settled(succeeded(begun, id, outcome));
      case FAILED -> {
        PlanState failed = counted(begun);
        yield failed
            .withItem(id, item -> item.came(Status.FAILED, outcome, failed.sequence()))
            .triggered(
                Trigger.Kind.FAILED,
                state.above(id),
                "`" + name(state, id) + "` failed: " + outcome.error());
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
        : done.triggered(
            Trigger.Kind.UNEXPECTED,
            state.above(id),
            "`" + name(state, id) + "`: " + deviation.get());
  }

  /** What takes an action back was executed. An action is taken back once, with whatever result. */
  public PlanState compensated(PlanState state, Outcome outcome) {
    String id = state.undoing().getFirst();
    if (outcome.end() == End.BLOCKED) {
      return state
          .with(next -> {
            next.parked = false;
            next.undoWaits = Optional.of(outcome);
          })
          .withItem(id, PlanItem::again);
    }
    PlanState rest =
        state.with(next -> {
          next.parked = false;
          next.undoWaits = Optional.empty();
          next.undoing = next.undoing.subList(1, next.undoing.size());
        });
    if (outcome.end() == End.SUCCEEDED) {
      return rest.withItem(id, item -> item.status(Status.UNDONE, "taken back"));
    }
    return rest.withItem(
            id, item -> item.status(Status.UNDONE, "not taken back: " + outcome.error()))
        .triggered(
            Trigger.Kind.FAILED,
            state.above(id),
            "what `" + name(state, id) + "` did was not taken back: " + outcome.error());
  }

  public PlanState amended(
      PlanState state, String level, List<Trigger> triggers, Amendment amendment, String reason) {
    return settled(PlanAmending.amended(state, level, triggers, amendment, reason));
  }

  /** The supervisor has answered; the planner is told. */
  public PlanState answered(PlanState state, String answer) {
    String level = state.escalation().orElseThrow().level();
    return state
        .with(next -> next.escalation = Optional.empty())
        .triggered(Trigger.Kind.ANSWERED, level, answer);
  }

  /** What was proposed does not hold; the planner is told why. */
  public PlanState refused(PlanState state, String reason) {
    return state
        .with(next -> next.proposal = Optional.empty())
        .triggered(Trigger.Kind.REFUSED, PlanState.ROOT, reason)
        .withLevel(PlanState.ROOT, root -> root.result(Optional.empty()));
  }

  /** The plan has come to its end, as this says. */
  public PlanState ended(PlanState state, String how) {
    return state.with(next -> next.ending = Optional.of(how));
  }

  /** The run waits; when it goes on, what waits is tried again. */
  public PlanState parked(PlanState state) {
    return state.with(next -> next.parked = true);
  }

  /** The run goes on: what waited for the world is due again, if the run waited for that. */
  public PlanState woken(PlanState state) {
    if (!state.parked() || !state.undoing().isEmpty()) {
      return state;
    }
    List<String> due = state.items().filter(PlanItem::waitsForWorld).map(PlanItem::id).toList();
    PlanState next = state.with(draft -> draft.parked = false);
    for (String id : due) {
      next = next.withItem(id, item -> item.status(Status.PENDING, item.note()));
    }
    return next;
  }

  public PlanState observed(PlanState state, PlanFacts facts) {
    if (state.root().isEmpty() || state.ending().isPresent()) {
      return state;
    }
    return state.with(next -> {
      assumptions(state, facts).forEach(next::trigger);
      if (rules.heeds(Trigger.Kind.EVENT)) {
        facts
            .news()
            .forEach(line -> next.trigger(new Trigger(Trigger.Kind.EVENT, PlanState.ROOT, line)));
      }
      if (rules.heeds(Trigger.Kind.PAGES)
          && !(facts.lost().isEmpty() && facts.regained().isEmpty())) {
        next.trigger(new Trigger(Trigger.Kind.PAGES, PlanState.ROOT, pages(facts)));
      }
      if (rules.heeds(Trigger.Kind.BUDGET)
          && !next.budgetTold
          && facts.budgetLeft() < rules.budgetLow()) {
        next.budgetTold = true;
        next.trigger(
            new Trigger(
                Trigger.Kind.BUDGET,
                PlanState.ROOT,
                "%.0f%% of the run's budget is left".formatted(100 * facts.budgetLeft())));
      }
    });
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
    return state.with(next -> {
      next.sequence++;
      next.sinceRevision++;
    });
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
    PlanState next = state.with(draft -> draft.sequence++);
    return settled(next.withItem(over.get(), item -> item.settled(Status.DONE, next.sequence())));
  }

  static String name(PlanState state, String id) {
    return state.item(id).map(PlanItem::name).orElse(id);
  }

  /**
   * What has come to a plan from outside since it was looked at last.
   *
   * @param news what capabilities made of events, one line each
   * @param changed keys of blackboard entries that were written by others
   * @param lost pages of the working set that are in no cache any more
   * @param regained those that are again
   * @param budgetLeft share of the run's budget that is left, 0 to 1; 1 where it has none
   */
  public record PlanFacts(
      List<String> news,
      Set<String> changed,
      Set<String> lost,
      Set<String> regained,
      double budgetLeft) {

    public static final PlanFacts NONE = new PlanFacts(List.of(), Set.of(), Set.of(), Set.of(), 1);

    public PlanFacts {
      Objects.requireNonNull(news, "news");
      news = List.copyOf(news);
      changed = Set.copyOf(changed);
      lost = Set.copyOf(lost);
      regained = Set.copyOf(regained);
    }

    public PlanFacts news(String... lines) {
      return new PlanFacts(List.of(lines), changed, lost, regained, budgetLeft);
    }

    public PlanFacts changed(String... keys) {
      return new PlanFacts(news, Set.of(keys), lost, regained, budgetLeft);
    }

    public PlanFacts lost(String... pages) {
      return new PlanFacts(news, changed, Set.of(pages), regained, budgetLeft);
    }
  }

  /** What a planner does about a plan that has to be looked at again. */
  public sealed interface Amendment {

    /** Go on as planned; what failed is done without. */
    record GoOn() implements Amendment {}

    /**
     * Other actions in place of those that have not been done.
     *
     * @param keep names of actions that stay nevertheless
     */
    record Revise(PlanDraft draft, Set<String> keep) implements Amendment {
      public Revise {
        Objects.requireNonNull(draft, "draft");
        keep = Set.copyOf(keep);
      }
    }

    /** Further actions besides those that have not been done. */
    record Add(PlanDraft draft) implements Amendment {}

    /**
     * Take back what was done since an action, that action included, the last one first, and go on
     * with others.
     *
     * @param to the action's name
     */
    record Backtrack(String to, PlanDraft draft) implements Amendment {}

    /** Ask the supervisor, and wait for the answer. */
    record Escalate(String question) implements Amendment {}

    /** A new plan for the whole goal; nothing is taken back. */
    record StartAnew(PlanDraft draft) implements Amendment {}

    /** The level's goal is reached; without a result, with an empty object. */
    record Complete(JsonNode result) implements Amendment {
      public Complete {
        result = result == null || result.isNull() ? JsonNodeFactory.instance.objectNode() : result;
      }
    }

    /** The level's goal cannot be reached. */
    record GiveUp(String reason) implements Amendment {}

    /** As revisions name it. */
    default String strategy() {
      return switch (this) {
        case GoOn go -> "go on";
        case Revise revise -> "revise";
        case Add add -> "add";
        case Backtrack back -> "backtrack to " + back.to();
        case Escalate escalate -> "escalate";
        case StartAnew anew -> "start anew";
        case Complete complete -> "complete";
        case GiveUp giveUp -> "give up";
      };
    }
  }
}
