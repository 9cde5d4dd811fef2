package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a planner proposes to do next. */
public sealed interface Proposal {

  /**
   * Actions in their order, and what follows when all of them have succeeded; at least one action
   * or an end.
   *
   * @param reasoning why, as the model said it; empty if it said nothing
   * @param end empty where the planner is to be asked again
   */
  record Steps(String reasoning, List<Step> actions, Optional<End> end) implements Proposal {

    public Steps {
      actions = List.copyOf(actions);
      if (actions.isEmpty() && end.isEmpty()) {
        throw new IllegalArgumentException("a proposal has at least one action or an end");
      }
    }
  }

  /**
   * Nothing that can be done.
   *
   * @param error one line for the model
   */
  record Unusable(String error) implements Proposal {}

  /**
   * An action.
   *
   * @param key as its description names it
   * @param parameters may hold references
   */
  record Step(String key, ObjectNode parameters) {}

  /** How a run or a turn ends. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = End.Complete.class, name = "complete"),
    @JsonSubTypes.Type(value = End.Idle.class, name = "idle"),
    @JsonSubTypes.Type(value = End.GiveUp.class, name = "fail")
  })
  sealed interface End {

    /**
     * The goals are reached.
     *
     * @param result may hold references, as the exports may
     * @param exports for other agents, by name
     * @param learned what is worth remembering, a sentence each
     */
    record Complete(JsonNode result, Map<String, JsonNode> exports, List<String> learned)
        implements End {

      public Complete {
        exports = Map.copyOf(exports);
        learned = List.copyOf(learned);
      }
    }

    /** There is nothing to do until something happens. */
    record Idle() implements End {}

    /** The goals cannot be reached. */
    record GiveUp(String reason) implements End {}
  }
}
