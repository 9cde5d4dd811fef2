package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** What a plan needs next. */
public sealed interface PlanStep {

  /**
   * An action to give to the dispatcher.
   *
   * @param item its id in the plan
   * @param actionId unique within the run
   * @param params with references that the dispatcher resolves
   */
  record Due(String item, String actionId, String key, JsonNode params) {}

  /**
   * Ask the planner for the actions of a level.
   *
   * @param level the id of its composite action; empty for the whole plan
   */
  record MakePlan(String level, String goal) implements PlanStep {}

  /** Execute these, which wait for nothing, side by side; at least one. */
  record Perform(List<Due> actions) implements PlanStep {}

  /** Execute what takes the effect of an action back. */
  record Compensate(Due action) implements PlanStep {}

  /** Ask the planner what is to be done about a level. */
  record Revise(String level, List<Trigger> triggers) implements PlanStep {}

  /** What a rule does about a level, without asking the planner. */
  record Amend(String level, List<Trigger> triggers, Amendment amendment) implements PlanStep {}

  /** Wait for the supervisor's answer. */
  record AwaitAnswer(PlanState.Escalation escalation) implements PlanStep {}

  /** Nothing can go on until what these attempts wait for has happened; at least one. */
  record Await(List<PlanItem.Outcome> attempts) implements PlanStep {}

  /**
   * Hold what the plan has come to against what the run has to give.
   *
   * @param result with references that the dispatcher resolves
   */
  record ProposeCompletion(JsonNode result) implements PlanStep {}

  /** End the run as failed. */
  record GiveUp(String reason) implements PlanStep {}

  /** Nothing: the plan has come to its end. */
  record Ended() implements PlanStep {}
}
