package dev.colony.library.plan;

import java.util.Locale;
import java.util.Objects;

/**
 * Why a plan has to be looked at again.
 *
 * @param level the id of the composite action whose level it concerns; empty for the whole plan
 * @param detail one line for the planner
 */
public record Trigger(Kind kind, String level, String detail) {

  /** Kinds of reasons. */
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
    /** As many actions were done as the agent's policy plans ahead at most. */
    STEPS,
    /** The completion was refused. */
    REFUSED,
    /** A supervisor has answered. */
    ANSWERED;

    /** Whether a plan cannot go on without it, so that it cannot be left out. */
    public boolean required() {
      return switch (this) {
        case EXHAUSTED, FAILED, STUCK, REFUSED, ANSWERED -> true;
        case UNEXPECTED, ASSUMPTION, EVENT, PAGES, BUDGET, STEPS -> false;
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
