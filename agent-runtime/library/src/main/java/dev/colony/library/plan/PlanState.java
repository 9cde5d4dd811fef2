package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanRules.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A plan with all that is needed to go on with it on another node: its tree, in which the position
 * is where actions stand as open or waiting, and what is to be done about it. Immutable; written
 * and read as JSON.
 *
 * @param run that it is carried out in
 * @param generation how many plans for the goal were thrown away before this one
 * @param root empty before the first plan
 * @param triggers why the plan has to be looked at, the oldest first
 * @param undoing ids of the actions that are being taken back, the next one first
 * @param undoWaits why what takes the first of these back could not go on; empty if it did not
 *     begin
 * @param escalation what a supervisor was asked; empty while none is waited for
 * @param proposal what is held against what the run has to give; empty for nothing
 * @param cycles revisions so far, as they are bounded
 * @param revisions all of them
 * @param escalations that were asked so far
 * @param sequence actions that have ended so far
 * @param sinceRevision of these, since the plan was looked at last
 * @param parked whether the run waited for what its waiting actions wait for
 * @param budgetTold whether the planner was told that little of the budget is left
 * @param ending how the plan ended; empty while it has not
 */
public record PlanState(
    String run,
    String goal,
    int generation,
    Optional<PlanLevel> root,
    List<Trigger> triggers,
    List<String> undoing,
    Optional<PlanItem.Outcome> undoWaits,
    Optional<Escalation> escalation,
    Optional<JsonNode> proposal,
    int cycles,
    int revisions,
    int escalations,
    long sequence,
    long sinceRevision,
    boolean parked,
    boolean budgetTold,
    Optional<String> ending) {

  /** The level that is the whole plan. */
  public static final String ROOT = "";

  /**
   * A question to the supervisor.
   *
   * @param number of the plan's questions, from 1
   * @param level that it concerns
   */
  public record Escalation(int number, String level, String question) {}

  public PlanState {
    Objects.requireNonNull(run, "run");
    Objects.requireNonNull(goal, "goal");
    triggers = List.copyOf(triggers);
    undoing = List.copyOf(undoing);
    // What is absent is read as JSON null.
    proposal = proposal.filter(json -> !json.isNull());
  }

  public static PlanState of(String run, String goal) {
    return new Draft(run, goal).made();
  }

  /** The same plan, carried on in another run, which may revise it as often again. */
  public PlanState carriedOn(String other) {
    return other.equals(run)
        ? this
        : with(next -> {
          next.run = other;
          next.cycles = 0;
          next.budgetTold = false;
        });
  }

  /** The same as a plan that follows another one in the same run. */
  public PlanState behind(PlanState other) {
    return with(next -> {
      next.generation = other.generation() + 1;
      next.escalations = other.escalations();
    });
  }

  /** What stands before all ids of the plan, so that they differ from those of earlier plans. */
  String prefix() {
    return generation == 0 ? "" : "~" + (generation + 1);
  }

  public Optional<PlanItem> item(String id) {
    return items().filter(one -> one.id().equals(id)).findFirst();
  }

  /** All actions, those of each level before those below. */
  public Stream<PlanItem> items() {
    return root.stream().flatMap(PlanState::items);
  }

  private static Stream<PlanItem> items(PlanLevel level) {
    return Stream.concat(
        level.items().stream(),
        level.items().stream().flatMap(one -> one.sub().stream()).flatMap(PlanState::items));
  }

  /**
   * How many more questions the plan asks the planner if nothing deviates from it: for the first
   * plan, for each composite action that no child plans and that has none yet, and, where the plan
   * does not say what it comes to, whether the goal is reached.
   */
  public int questionsToCome() {
    if (ending.isPresent()) {
      return 0;
    }
    long composite =
        items()
            .filter(item -> item.status() == PlanItem.Status.PENDING && item.sub().isEmpty())
            .filter(item ->
                item.action().work() instanceof PlanAction.SubPlan sub && sub.delegate().isEmpty())
            .count();
    boolean asksAtTheEnd = root.flatMap(PlanLevel::result).isEmpty();
    return (int) composite + (planned() ? 0 : 1) + (asksAtTheEnd ? 1 : 0);
  }

  /** Whether actions were planned, or said not to be needed. */
  boolean planned() {
    return root.filter(level -> !level.items().isEmpty() || level.result().isPresent()).isPresent();
  }

  /**
   * A level.
   *
   * @throws IllegalStateException if there is none of that id
   */
  public PlanLevel level(String id) {
    return levels(id).getFirst();
  }

  /** A level and those above it, up to the root. */
  List<PlanLevel> levels(String id) {
    List<PlanLevel> found = new ArrayList<>();
    for (String at = id; !at.equals(ROOT); at = above(at)) {
      String wanted = at;
      found.add(
          item(wanted)
              .flatMap(PlanItem::sub)
              .orElseThrow(() -> new IllegalStateException("the plan has no level " + wanted)));
    }
    found.add(root.orElseThrow(() -> new IllegalStateException("there is no plan yet")));
    return found;
  }

  /** The level in which an action stands. */
  public String above(String item) {
    int dot = item.lastIndexOf('.');
    String parent = dot < 0 ? ROOT : item.substring(0, dot);
    return parent.equals(prefix()) ? ROOT : parent;
  }

  /** How many levels stand above one, 0 for the root. */
  public int depth(String level) {
    return level.equals(ROOT) ? 0 : 1 + depth(above(level));
  }

  PlanState withItem(String id, UnaryOperator<PlanItem> made) {
    return withLevel(
        above(id),
        level ->
            level.items(
                level.items().stream()
                    .map(one -> one.id().equals(id) ? made.apply(one) : one)
                    .toList()));
  }

  PlanState withLevel(String id, UnaryOperator<PlanLevel> made) {
    return id.equals(ROOT)
        ? with(next -> next.root = root.map(made))
        : withItem(id, item -> item.sub(made.apply(item.sub().orElseThrow())));
  }

  PlanState with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.made();
  }

  /** The same with one more reason to look at the plan. */
  PlanState triggered(Trigger.Kind kind, String level, String detail) {
    return with(next -> next.trigger(new Trigger(kind, level, detail)));
  }

  static final class Draft {
    private final String goal;
    String run;
    int generation;
    Optional<PlanLevel> root = Optional.empty();
    List<Trigger> triggers = List.of();
    List<String> undoing = List.of();
    Optional<PlanItem.Outcome> undoWaits = Optional.empty();
    Optional<Escalation> escalation = Optional.empty();
    Optional<JsonNode> proposal = Optional.empty();
    int cycles;
    int revisions;
    int escalations;
    long sequence;
    long sinceRevision;
    boolean parked;
    boolean budgetTold;
    Optional<String> ending = Optional.empty();

    private Draft(String run, String goal) {
      this.run = run;
      this.goal = goal;
    }

    private Draft(PlanState of) {
      this(of.run, of.goal);
      generation = of.generation;
      root = of.root;
      triggers = of.triggers;
      undoing = of.undoing;
      undoWaits = of.undoWaits;
      escalation = of.escalation;
      proposal = of.proposal;
      cycles = of.cycles;
      revisions = of.revisions;
      escalations = of.escalations;
      sequence = of.sequence;
      sinceRevision = of.sinceRevision;
      parked = of.parked;
      budgetTold = of.budgetTold;
      ending = of.ending;
    }

    void trigger(Trigger one) {
      triggers = Stream.concat(triggers.stream(), Stream.of(one)).distinct().toList();
    }

    private PlanState made() {
      return new PlanState(
          run,
          goal,
          generation,
          root,
          triggers,
          undoing,
          undoWaits,
          escalation,
          proposal,
          cycles,
          revisions,
          escalations,
          sequence,
          sinceRevision,
          parked,
          budgetTold,
          ending);
    }
  }
}
