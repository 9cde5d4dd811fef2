package dev.colony.library.planning;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.library.plan.PlanDraft;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a model that plans replied. */
sealed interface PlanReply {

  /** How drafts stand to the plan that there is. */
  enum Mode {
    REVISE,
    ADD,
    BACKTRACK,
    START_ANEW
  }

  /**
   * Actions.
   *
   * @param drafts which would do as well; at least one
   * @param keep names of actions that stay, of a revision
   * @param backTo the name of the first action that is taken back, of a backtracking
   * @param closing what goes with the completion once all is done
   */
  record Plan(Mode mode, List<PlanDraft> drafts, Set<String> keep, String backTo, Closing closing)
      implements PlanReply {
    public Plan {
      drafts = List.copyOf(drafts);
      keep = Set.copyOf(keep);
    }
  }

  /**
   * What a completion says besides its result.
   *
   * @param exports for other agents, by name
   * @param learned what is worth remembering
   */
  record Closing(Map<String, JsonNode> exports, List<String> learned) {
    static final Closing NONE = new Closing(Map.of(), List.of());

    public Closing {
      exports = Map.copyOf(exports);
      learned = List.copyOf(learned);
    }
  }

  /** Go on as planned. */
  record GoOn() implements PlanReply {}

  /** Ask the supervisor. */
  record Escalate(String question) implements PlanReply {}

  /** The goal of the level is reached. */
  record Complete(JsonNode result, Closing closing) implements PlanReply {}

  /** There is nothing to do until something happens. */
  record Idle() implements PlanReply {}

  /** The goal of the level cannot be reached. */
  record GiveUp(String reason) implements PlanReply {}

  /** It wants to see what actions take. */
  record Show(Set<String> groups) implements PlanReply {
    public Show {
      groups = Set.copyOf(groups);
    }
  }
}
