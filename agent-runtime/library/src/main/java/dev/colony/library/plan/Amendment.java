package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Objects;
import java.util.Set;

/** What a planner does about a plan that has to be looked at again. */
public sealed interface Amendment {

  /** Go on as planned; what failed is done without. */
  record GoOn() implements Amendment {}

  /**
   * Other actions in place of those that have not been done.
   *
   * @param keep names of actions that stay nevertheless
   */
  record Revise(PlanDraft draft, Set<String> keep) implements Amendment {
    public Revise {
      Objects.requireNonNull(draft, "draft");
      keep = Set.copyOf(keep);
    }
  }

  /** Further actions besides those that have not been done. */
  record Add(PlanDraft draft) implements Amendment {}

  /**
   * Take back what was done since an action, that action included, the last one first, and go on
   * with others.
   *
   * @param to the action's name
   */
  record Backtrack(String to, PlanDraft draft) implements Amendment {}

  /** Ask the supervisor, and wait for the answer. */
  record Escalate(String question) implements Amendment {}

  /** A new plan for the whole goal; nothing is taken back. */
  record StartAnew(PlanDraft draft) implements Amendment {}

  /** The level's goal is reached; without a result, with an empty object. */
  record Complete(JsonNode result) implements Amendment {
    public Complete {
      result = result == null || result.isNull() ? JsonNodeFactory.instance.objectNode() : result;
    }
  }

  /** The level's goal cannot be reached. */
  record GiveUp(String reason) implements Amendment {}

  /** As revisions name it. */
  default String strategy() {
    return switch (this) {
      case GoOn go -> "go on";
      case Revise revise -> "revise";
      case Add add -> "add";
      case Backtrack back -> "backtrack to " + back.to();
      case Escalate escalate -> "escalate";
      case StartAnew anew -> "start anew";
      case Complete complete -> "complete";
      case GiveUp giveUp -> "give up";
    };
  }
}
