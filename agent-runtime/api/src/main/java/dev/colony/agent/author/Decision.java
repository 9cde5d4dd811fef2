package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What {@link BaseActionPolicy#planStep} wants to happen next. */
public sealed interface Decision {

  /** Execute an action; its result ends the iteration. */
  record Act(Action action) implements Decision {
    public Act {
      Objects.requireNonNull(action, "action");
    }
  }

  /**
   * Execute an action.
   *
   * @param params names and values in turn, as {@link Action#of(String, String, String, Object,
   *     Object...)} takes them
   */
  static Decision act(String actionId, String key, String name, Object value, Object... params) {
    return new Act(Action.of(actionId, key, name, value, params));
  }

  static Decision act(String actionId, String key) {
    return new Act(Action.of(actionId, key));
  }

  /** End the run with what its {@link ActionPolicyIO} promises. */
  record Complete(ActionPolicyOutput output) implements Decision {
    public Complete {
      Objects.requireNonNull(output, "output");
    }

    /** End the run with a result and nothing else. */
    public static Complete with(JsonNode finalResult) {
      return new Complete(ActionPolicyOutput.of(finalResult));
    }
  }

  /** Nothing to do until an event comes; a run that events started ends. */
  record Idle() implements Decision {}

  /** Nothing this time; ask again at once. */
  record Skip() implements Decision {}

  /**
   * Nothing can be done until something else has happened.
   *
   * @param blockingAgentIds the agents that are waited for
   * @param until what is waited for; empty if that is the agents, or cannot be said
   */
  record Blocked(String reason, List<AgentId> blockingAgentIds, Optional<ResumptionCondition> until)
      implements Decision {
    public Blocked {
      Objects.requireNonNull(reason, "reason");
      blockingAgentIds = List.copyOf(blockingAgentIds);
      Objects.requireNonNull(until, "until");
    }

    /** Until these agents have ended; until who knows what, for none. */
    public Blocked(String reason, List<AgentId> blockingAgentIds) {
      this(reason, blockingAgentIds, Optional.empty());
    }
  }

  /** Nothing can be done until this holds; the reason is one line for people. */
  static Decision blocked(String reason, ResumptionCondition until) {
    return new Blocked(reason, List.of(), Optional.of(until));
  }

  /** End the run as failed; the message is one line for people. */
  record Fail(ErrorContext error) implements Decision {
    public Fail {
      Objects.requireNonNull(error, "error");
    }

    public static Fail because(String message) {
      return new Fail(ErrorContext.of("policy", message));
    }
  }

  /** End the run as failed, and the agent with it, for good. */
  record Terminate(ErrorContext error) implements Decision {
    public Terminate {
      Objects.requireNonNull(error, "error");
    }
  }
}
