package dev.colony.library.planning;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import java.util.Optional;

/**
 * Stands before each action that a plan executes, compensations included. Registered as other types
 * are, and named in the policy's arguments; of several, the strictest verdict holds. Thread-safe,
 * since actions are executed side by side; the same action must always get the same verdict.
 */
public interface Guardrail {

  /** What a guardrail says of an action. */
  sealed interface Verdict {

    /** It may be executed. */
    record Allow() implements Verdict {}

    /**
     * It is not executed: it fails with this reason, which the planner is told.
     *
     * @param reason one line
     */
    record Block(String reason) implements Verdict {}

    /**
     * A person has to approve it; the plan goes on with what does not wait for it.
     *
     * @param reason one line for that person
     */
    record Ask(String reason) implements Verdict {}
  }

  /**
   * What is to become of an action.
   *
   * @param action with its references resolved where they can be
   * @param description of what it executes; empty if there is no such action
   */
  Verdict check(Action action, Optional<ActionDescription> description);
}
