package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Objects;

/** What a policy wants to happen next. */
public sealed interface Decision {

  /** Ask the model, once a step at most; the policy is asked again with the reply in the view. */
  record Infer(ModelCall call) implements Decision {
    public Infer {
      Objects.requireNonNull(call, "call");
    }
  }

  /** Execute an action; its outcome ends the step. */
  record Act(Action action) implements Decision {
    public Act {
      Objects.requireNonNull(action, "action");
    }
  }

  /** End the run with an output. */
  record Complete(JsonNode output) implements Decision {
    public Complete {
      Objects.requireNonNull(output, "output");
    }
  }

  /** End the run without one; the reason is one line for people. */
  record Fail(String reason) implements Decision {
    public Fail {
      Objects.requireNonNull(reason, "reason");
    }
  }
}
