package dev.colony.library.plan;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * How plans are made and carried out. {@link PlanSettings} bounds what blueprints may ask for.
 *
 * @param horizon in which order plans are made
 * @param ahead actions that one level is planned ahead at most, 1 or more
 * @param depth levels within each other, 1 to {@value #MOST_DEPTH}
 * @param parallel actions that are executed side by side, and composite ones that are under way at
 *     once, at most
 * @param maxReplanCycles revisions of a plan until it is given up; one that only goes on where all
 *     actions planned so far are done is none of them
 * @param triggers those besides the {@link Trigger.Kind#required} ones that are heeded
 * @param byRule what is done about a kind of trigger without asking the model
 * @param everySteps actions after which a plan is looked at in any case; 0 for never
 * @param budgetLow share of the run's budget, 0 to 1, below which it is low
 */
public record PlanRules(
    Horizon horizon,
    int ahead,
    int depth,
    int parallel,
    int maxReplanCycles,
    Set<Trigger.Kind> triggers,
    Map<Trigger.Kind, Rule> byRule,
    int everySteps,
    double budgetLow) {

  /**
   * Levels within each other at most: ids name all levels above them, and have a bounded length.
   */
  public static final int MOST_DEPTH = 6;

  public static final PlanRules DEFAULTS =
      new PlanRules(
          Horizon.MPC,
          16,
          4,
          4,
          8,
          EnumSet.of(
              Trigger.Kind.UNEXPECTED,
              Trigger.Kind.ASSUMPTION,
              Trigger.Kind.EVENT,
              Trigger.Kind.PAGES,
              Trigger.Kind.BUDGET),
          Map.of(),
          0,
          0.1);

  /** In which order plans are made. */
  public enum Horizon {
    /** The next few actions, which are carried out before others are planned. */
    MPC,
    /** Composite actions first; what each consists of is planned before others are executed. */
    TOP_DOWN,
    /** Parts first, each by itself, then what sums them up. */
    BOTTOM_UP
  }

  /** What is done about a trigger without asking the model. */
  public enum Rule {
    GO_ON,
    /** All that was done on the level is taken back; then the model is asked. */
    BACKTRACK,
    ESCALATE,
    START_ANEW,
    GIVE_UP
  }

  public PlanRules {
    Objects.requireNonNull(horizon, "horizon");
    check("ahead", ahead, 1, Integer.MAX_VALUE);
    check("depth", depth, 1, MOST_DEPTH);
    check("parallel", parallel, 1, Integer.MAX_VALUE);
    check("maxReplanCycles", maxReplanCycles, 0, Integer.MAX_VALUE);
    check("everySteps", everySteps, 0, Integer.MAX_VALUE);
    if (!(budgetLow >= 0 && budgetLow <= 1)) {
      throw new IllegalArgumentException("budgetLow is " + budgetLow + ", but must be 0 to 1");
    }
    triggers = triggers.isEmpty() ? EnumSet.noneOf(Trigger.Kind.class) : EnumSet.copyOf(triggers);
    byRule = byRule.isEmpty() ? Map.of() : new EnumMap<>(byRule);
  }

  boolean heeds(Trigger.Kind kind) {
    return kind.required() || triggers.contains(kind);
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s is %d, but must be %d to %d".formatted(name, value, least, most));
    }
  }
}
