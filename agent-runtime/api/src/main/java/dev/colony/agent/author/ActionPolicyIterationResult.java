package dev.colony.agent.author;

import dev.colony.agent.AgentId;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import java.util.List;
import java.util.Optional;

/**
 * What an iteration came to. Of {@code policyCompleted}, {@code idle} and {@code blockedReason} at
 * most one is set.
 *
 * @param success whether it did what it was to do; an action that failed makes it false and the run
 *     goes on, since the policy sees the failure
 * @param policyCompleted whether the run is at its end; without success it ends as failed, with
 *     {@code error}
 * @param output of the run that has completed
 * @param idle whether there is nothing to do until an event comes
 * @param blockedReason why nothing can be done until something else has happened, one line
 * @param blockingAgentIds the agents that are waited for
 * @param until what is waited for; empty if that is the agents, or cannot be said
 * @param error what went wrong
 * @param requiresTermination whether the agent itself is at its end: its run fails with {@code
 *     error}, and the agent is FAILED for good
 * @param call the action and its result, if there was one
 */
public record ActionPolicyIterationResult(
    boolean success,
    boolean policyCompleted,
    Optional<ActionPolicyOutput> output,
    boolean idle,
    Optional<String> blockedReason,
    List<AgentId> blockingAgentIds,
    Optional<ResumptionCondition> until,
    Optional<ErrorContext> error,
    boolean requiresTermination,
    Optional<ActionCall> call) {

  public ActionPolicyIterationResult {
    blockingAgentIds = List.copyOf(blockingAgentIds);
    if ((requiresTermination || policyCompleted && !success) && error.isEmpty()) {
      throw new IllegalArgumentException("nothing fails without an error");
    }
  }

  /** An action was executed, with whatever result. */
  public static ActionPolicyIterationResult acted(Action action, ActionResult result) {
    return new ActionPolicyIterationResult(
        result.success(),
        false,
        Optional.empty(),
        false,
        result.blocked() ? Optional.of(result.error()) : Optional.empty(),
        result.blockingAgentIds(),
        result.until(),
        result.success() || result.blocked()
            ? Optional.empty()
            : Optional.of(
                new ErrorContext("action", result.error(), Optional.of(action.actionId()), false)),
        false,
        Optional.of(new ActionCall(action, result)));
  }

  /** The run is at its end. */
  public static ActionPolicyIterationResult completed(ActionPolicyOutput output) {
    return of(true, Optional.of(output), false);
  }

  /** Nothing was done, and there is more to do at once. */
  public static ActionPolicyIterationResult skipped() {
    return of(false, Optional.empty(), false);
  }

  /** Nothing to do until an event comes. */
  public static ActionPolicyIterationResult awaitingEvents() {
    return of(false, Optional.empty(), true);
  }

  /** Nothing can be done until these agents have ended; until who knows what, for none. */
  public static ActionPolicyIterationResult blocked(String reason, List<AgentId> on) {
    return blocked(reason, on, Optional.empty());
  }

  /** Nothing can be done until something has happened. */
  public static ActionPolicyIterationResult blocked(String reason, ResumptionCondition until) {
    return blocked(reason, List.of(), Optional.of(until));
  }

  static ActionPolicyIterationResult blocked(
      String reason, List<AgentId> on, Optional<ResumptionCondition> until) {
    return new ActionPolicyIterationResult(
        true,
        false,
        Optional.empty(),
        false,
        Optional.of(reason),
        on,
        until,
        Optional.empty(),
        false,
        Optional.empty());
  }

  /** The run ends as failed. */
  public static ActionPolicyIterationResult failed(ErrorContext error) {
    return unsuccessful(true, error, false);
  }

  /** The run ends as failed, and the agent with it. */
  public static ActionPolicyIterationResult terminated(ErrorContext error) {
    return unsuccessful(false, error, true);
  }

  /** The same, of that action, or of none. */
  public ActionPolicyIterationResult call(Optional<ActionCall> made) {
    return new ActionPolicyIterationResult(
        success,
        policyCompleted,
        output,
        idle,
        blockedReason,
        blockingAgentIds,
        until,
        error,
        requiresTermination,
        made);
  }

  /** The same, waiting for that. */
  public ActionPolicyIterationResult until(ResumptionCondition condition) {
    return new ActionPolicyIterationResult(
        success,
        policyCompleted,
        output,
        idle,
        blockedReason,
        blockingAgentIds,
        Optional.of(condition),
        error,
        requiresTermination,
        call);
  }

  private static ActionPolicyIterationResult unsuccessful(
      boolean completed, ErrorContext error, boolean terminate) {
    return new ActionPolicyIterationResult(
        false,
        completed,
        Optional.empty(),
        false,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.of(error),
        terminate,
        Optional.empty());
  }

  private static ActionPolicyIterationResult of(
      boolean completed, Optional<ActionPolicyOutput> output, boolean idle) {
    return new ActionPolicyIterationResult(
        true,
        completed,
        output,
        idle,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        false,
        Optional.empty());
  }
}
