package dev.colony.library.plan;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * How plans are made and carried out.
 *
 * @param horizon in which order plans are made
 * @param ahead actions that one level is planned ahead at most, 1 to {@value #MOST_AHEAD}
 * @param depth levels within each other, 1 to {@value #MOST_DEPTH}
 * @param parallel actions that are executed side by side, and composite ones that are under way at
 *     once, at most
 * @param maxReplanCycles revisions of a plan until it is given up; one that only goes on where all
 *     actions planned so far are done is none of them
 * @param triggers those besides the {@link Trigger.Kind#required} ones that are heeded
 * @param budgetLow share of the run's budget, 0 to 1, below which it is low
 */
public record PlanRules(
    Horizon horizon,
    int ahead,
    int depth,
    int parallel,
    int maxReplanCycles,
    Set<Trigger.Kind> triggers,
    double budgetLow) {

  /**
   * Levels within each other at most: ids name all levels above them, and have a bounded length.
   */
  public static final int MOST_DEPTH = 6;

  /** The largest values of the other rules: with more one agent takes its node and its model. */
  static final int MOST_AHEAD = 256;

  private static final int MOST_PARALLEL = 64;
  private static final int MOST_REPLAN_CYCLES = 1_000;

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

  public PlanRules {
    Objects.requireNonNull(horizon, "horizon");
    check("ahead", ahead, 1, MOST_AHEAD);
    check("depth", depth, 1, MOST_DEPTH);
    check("parallel", parallel, 1, MOST_PARALLEL);
    check("maxReplanCycles", maxReplanCycles, 0, MOST_REPLAN_CYCLES);
    if (!(budgetLow >= 0 && budgetLow <= 1)) {
      throw new IllegalArgumentException("budgetLow is " + budgetLow + ", but must be 0 to 1");
    }
    triggers = triggers.isEmpty() ? EnumSet.noneOf(Trigger.Kind.class) : EnumSet.copyOf(triggers);
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

  /**
   * Why a plan has to be looked at again.
   *
   * @param level the id of the composite action whose level it concerns; empty for the whole plan
   * @param detail one line for the planner
   */
  public record Trigger(Kind kind, String level, String detail) {

    public enum Kind {
      /** All actions are done, and the plan does not say what they come to. */
      EXHAUSTED,
      /** An action failed, was refused or timed out, or its compensation was. */
      FAILED,
      /** What is left waits for an action that is not going to be done. */
      STUCK,
      /** An output is not what was expected. */
      UNEXPECTED,
      /** What the plan assumes has changed. */
      ASSUMPTION,
      /** Something has come that the agent's capabilities made something of. */
      EVENT,
      /** Pages of the plan's working set are gone from the cache, or back. */
      PAGES,
      /** Little of the run's budget is left. */
      BUDGET,
      /** The completion was refused. */
      REFUSED,
      /** A supervisor has answered. */
      ANSWERED;

      /** Whether a plan cannot go on without it, so that it cannot be left out. */
      public boolean required() {
        return switch (this) {
          case EXHAUSTED, FAILED, STUCK, REFUSED, ANSWERED -> true;
          case UNEXPECTED, ASSUMPTION, EVENT, PAGES, BUDGET -> false;
        };
      }

      /** As it is written in blueprints and prompts. */
      public String word() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    public Trigger {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(level, "level");
      Objects.requireNonNull(detail, "detail");
    }

    /** As a planner reads it. */
    @Override
    public String toString() {
      return kind.word() + ": " + detail;
    }
  }
}
