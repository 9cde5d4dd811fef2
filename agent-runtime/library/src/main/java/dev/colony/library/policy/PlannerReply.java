package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;

/** What a model's answer to a planning prompt says. */
sealed interface PlannerReply {

  /**
   * Take an action.
   *
   * @param params a JSON object; empty where they are asked for afterwards
   */
  record Take(String key, JsonNode params) implements PlannerReply {}

  /** The goals are reached. */
  record Complete(JsonNode result) implements PlannerReply {}

  /** There is nothing to do until something happens. */
  record Idle() implements PlannerReply {}

  /** The goals cannot be reached. */
  record GiveUp(String reason) implements PlannerReply {}

  /**
   * It says nothing that can be done.
   *
   * @param error one line for the model
   */
  record Unusable(String error) implements PlannerReply {}
}
