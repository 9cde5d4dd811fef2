package dev.colony.library.planning;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.library.plan.PlanState;
import dev.colony.library.plan.PlanText;
import dev.colony.schema.JsonValues;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where a plan is kept between iterations: in the policy's entries of the agent, so that it
 * outlives the run. A run that a caller asked for makes a plan of its own; one that events started
 * goes on with the plan that there is.
 */
record PlanMemory(ActionPolicyExecutionState state) {

  /** Entries of the run: pages that are cached, and pages that were and are not any more. */
  static final String RESIDENT = "planResident";

  static final String LOST = "planLost";
  private static final String SHOWN = "planShown";
  private static final String CLOSING = "planClosing";

  private static final String UNUSABLE = "planUnusable";
  private static final String PROBLEM = "planProblem";
  private static final String ASKED = "planAsked";

  /** The plan to go on with, or one that nothing is planned for yet. */
  PlanState plan(String goal) {
    String run = state.request().runId().value();
    JsonNode kept = state.policy().path(PlanText.ENTRY);
    if (!kept.isObject()) {
      return PlanState.of(run, goal);
    }
    PlanState plan = (PlanState) JsonValues.read(kept, PlanState.class);
    boolean ofRun = plan.run().equals(run);
    if (plan.ending().isEmpty() && (ofRun || EventBatch.of(state.request()).isPresent())) {
      return plan.carriedOn(run);
    }
    return ofRun ? PlanState.of(run, goal).behind(plan) : PlanState.of(run, goal);
  }

  void keep(PlanState plan) {
    state.policy().set(PlanText.ENTRY, JsonValues.toJson(plan));
  }

  PlanReply.Closing closing() {
    JsonNode json = state.custom().path(CLOSING);
    Map<String, JsonNode> exports = new HashMap<>();
    json.path("exports").properties().forEach(one -> exports.put(one.getKey(), one.getValue()));
    return new PlanReply.Closing(
        exports, json.path("learned").valueStream().map(JsonNode::asText).toList());
  }

  /** What a reply says of the completion, where it says something. */
  void remember(PlanReply.Closing closing) {
    if (!closing.equals(PlanReply.Closing.NONE)) {
      closing(closing);
    }
  }

  void closing(PlanReply.Closing closing) {
    ObjectNode json = state.custom().putObject(CLOSING);
    closing.exports().forEach(json.putObject("exports")::set);
    closing.learned().forEach(json.putArray("learned")::add);
  }

  /** Iterations in a row without a usable answer, this one included. */
  int unusable(String problem) {
    int times = state.custom().path(UNUSABLE).asInt() + 1;
    state.custom().put(UNUSABLE, times).put(PROBLEM, problem);
    return times;
  }

  void usable() {
    state.custom().remove(List.of(UNUSABLE, PROBLEM));
  }

  /** What was wrong with the last answer, for the next prompt. */
  List<String> problems() {
    String problem = state.custom().path(PROBLEM).asText("");
    return problem.isEmpty() ? List.of() : List.of("Your reply was not usable: " + problem);
  }

  /** Pages of the working set that were cached, or were not any more, when they were looked at. */
  Set<String> pages(String entry) {
    Set<String> pages = new LinkedHashSet<>();
    state.custom().path(entry).forEach(one -> pages.add(one.asText()));
    return pages;
  }

  void pages(String entry, Set<String> pages) {
    if (!pages.equals(pages(entry))) {
      pages.stream().sorted().forEach(state.custom().putArray(entry)::add);
    }
  }

  /** Pages of the plan that prompts of this run have shown, in their order. */
  List<String> shown() {
    return state.custom().path(SHOWN).valueStream().map(JsonNode::asText).toList();
  }

  void shown(List<String> pages) {
    if (!pages.equals(shown())) {
      pages.forEach(state.custom().putArray(SHOWN)::add);
    }
  }

  /** Whether the supervisor was asked this question in this run; from now on it was. */
  boolean asked(int number) {
    boolean before = state.custom().path(ASKED).asInt() == number;
    state.custom().put(ASKED, number);
    return before;
  }
}
