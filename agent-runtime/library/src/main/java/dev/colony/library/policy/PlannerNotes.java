package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.ActionPolicyExecutionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a planning policy keeps from one iteration of a run to the next, under one name of the run's
 * own entries.
 *
 * @param unusable iterations in a row without a usable answer
 * @param problem what went wrong in the last of them
 * @param news what the model was shown without a usable answer, and is shown again
 */
record PlannerNotes(int unusable, Optional<String> problem, List<JsonNode> news) {

  private static final String NAME = "planner";

  PlannerNotes {
    news = List.copyOf(news);
  }

  static PlannerNotes of(ActionPolicyExecutionState state) {
    JsonNode json = state.custom().path(NAME);
    List<JsonNode> news = new ArrayList<>();
    json.path("news").forEach(news::add);
    return new PlannerNotes(
        json.path("unusable").asInt(), Optional.ofNullable(json.path("problem").textValue()), news);
  }

  void keep(ActionPolicyExecutionState state) {
    ObjectNode json = state.custom().putObject(NAME);
    json.put("unusable", unusable);
    problem.ifPresent(text -> json.put("problem", text));
    json.putArray("news").addAll(news);
  }

  static void forget(ActionPolicyExecutionState state) {
    state.custom().remove(NAME);
  }
}
