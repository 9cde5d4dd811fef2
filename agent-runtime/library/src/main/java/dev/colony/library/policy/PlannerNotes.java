package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionHistory;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.library.policy.Proposal.End;
import dev.colony.library.policy.Proposal.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a planning policy keeps from one iteration of a run to the next, under one name of the run's
 * own entries.
 *
 * @param unusable iterations in a row without a usable answer
 * @param problem what went wrong in the last of them
 * @param news what the model was shown without a usable answer, and is shown again
 * @param steps that were proposed and are still to be taken
 * @param end what follows then
 * @param reasons why actions were chosen, by their ids, in their order
 */
record PlannerNotes(
    int unusable,
    Optional<String> problem,
    List<JsonNode> news,
    List<Step> steps,
    Optional<End> end,
    Map<String, String> reasons) {

  private static final String NAME = "planner";
  private static final char ID = 'a';
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  PlannerNotes {
    news = List.copyOf(news);
    steps = List.copyOf(steps);
  }

  static PlannerNotes of(ActionPolicyExecutionState state) {
    JsonNode json = state.custom().path(NAME);
    List<Step> steps = new ArrayList<>();
    for (JsonNode one : json.path("steps")) {
      steps.add(new Step(one.path("key").asText(), (ObjectNode) one.path("parameters")));
    }
    Map<String, String> reasons = new LinkedHashMap<>();
    json.path("reasons")
        .forEach(one -> reasons.put(one.path("id").asText(), one.path("why").asText()));
    return new PlannerNotes(
        json.path("unusable").asInt(),
        Optional.ofNullable(json.path("problem").textValue()),
        json.path("news").valueStream().toList(),
        steps,
        end(json.path("end")),
        reasons);
  }

  private static Optional<End> end(JsonNode json) {
    return switch (json.path("kind").asText()) {
      case "complete" -> {
        Map<String, JsonNode> exports = new HashMap<>();
        json.path("exports").properties().forEach(one -> exports.put(one.getKey(), one.getValue()));
        yield Optional.of(
            new End.Complete(
                json.path("result"),
                exports,
                json.path("learned").valueStream().map(JsonNode::asText).toList()));
      }
      case "idle" -> Optional.of(new End.Idle());
      case "fail" -> Optional.of(new End.GiveUp(json.path("reason").asText()));
      default -> Optional.empty();
    };
  }

  private static ObjectNode json(End end) {
    ObjectNode json = JSON.objectNode();
    switch (end) {
      case End.Complete complete -> {
        json.put("kind", "complete").set("result", complete.result());
        ObjectNode exports = json.putObject("exports");
        complete.exports().forEach(exports::set);
        complete.learned().forEach(json.putArray("learned")::add);
      }
      case End.Idle idle -> json.put("kind", "idle");
      case End.GiveUp giveUp -> json.put("kind", "fail").put("reason", giveUp.reason());
    }
    return json;
  }

  /** Keeps them; what is empty is no entry. */
  void keep(ActionPolicyExecutionState state) {
    ObjectNode json = JSON.objectNode();
    if (unusable > 0) {
      json.put("unusable", unusable);
    }
    problem.ifPresent(text -> json.put("problem", text));
    if (!news.isEmpty()) {
      json.putArray("news").addAll(news);
    }
    for (Step step : steps) {
      json.withArray("steps")
          .addObject()
          .put("key", step.key())
          .set("parameters", step.parameters());
    }
    end.ifPresent(one -> json.set("end", json(one)));
    reasons.forEach(
        (id, why) -> json.withArray("reasons").addObject().put("id", id).put("why", why));
    if (json.isEmpty()) {
      state.custom().remove(NAME);
    } else {
      state.custom().set(NAME, json);
    }
  }

  /** The same after an iteration without a usable answer. */
  PlannerNotes unusable(String error, List<JsonNode> shown) {
    return new PlannerNotes(
        unusable + 1,
        Optional.of("Your reply could not be used: " + error),
        shown,
        List.of(),
        Optional.empty(),
        reasons);
  }

  /** The same with what is still to be done, and with news that no model has been shown. */
  PlannerNotes next(List<Step> left, Optional<End> then, List<JsonNode> unseen) {
    return new PlannerNotes(0, Optional.empty(), unseen, left, then, reasons);
  }

  /** The same with the reason of one more action; of more than twice as many the oldest go. */
  PlannerNotes reason(String actionId, String why, int most) {
    if (why.isBlank()) {
      return this;
    }
    Map<String, String> more = new LinkedHashMap<>(reasons);
    more.put(actionId, why);
    if (more.size() > 2 * most) {
      List<String> oldest = List.copyOf(more.keySet()).subList(0, more.size() - most);
      oldest.forEach(more::remove);
    }
    return new PlannerNotes(unusable, problem, news, steps, end, more);
  }

  /** The number of the next action of a run: one more than that of the last. */
  static int next(ActionHistory history) {
    return history.isEmpty()
        ? 1
        : Math.max(number(Action.firstId(history.getLast().action().actionId())), 0) + 1;
  }

  static String actionId(int number) {
    return ID + Integer.toString(number);
  }

  /** The number in the id of an action; that of its place where it has none. */
  static int number(String actionId) {
    String digits = actionId.isEmpty() ? "" : actionId.substring(1);
    return !actionId.isEmpty() && actionId.charAt(0) == ID && digits.matches("\\d{1,8}")
        ? Integer.parseInt(digits)
        : 0;
  }
}
