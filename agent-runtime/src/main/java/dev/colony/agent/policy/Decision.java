package dev.colony.agent.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.action.Action;
import java.util.List;
import java.util.Objects;

/** What {@link BaseActionPolicy#planStep} wants to happen next. */
public sealed interface Decision {

  /** Execute an action; its result ends the iteration. */
  record Act(Action action) implements Decision {
    public Act {
      Objects.requireNonNull(action, "action");
    }
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

  /** Nothing can be done until something else has happened. */
  record Blocked(String reason, List<AgentId> blockingAgentIds) implements Decision {
    public Blocked {
      Objects.requireNonNull(reason, "reason");
      blockingAgentIds = List.copyOf(blockingAgentIds);
    }
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
