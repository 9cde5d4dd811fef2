package dev.colony.agent.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunView;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Views as the runtime shows them to a policy. */
final class Views {

  private Views() {}

  static RunView of(Object input, List<ActionOutcome> outcomes, Optional<String> reply) {
    JsonNode json = Json.of(input);
    return new RunView(
        new AgentId("acme", "lab", "tested"),
        new RunRequest(
            ExecutionContext.of(new AgentId("acme", "lab", "a"), new RunId("r-1")),
            "research",
            json,
            "test",
            Instant.EPOCH),
        outcomes.size(),
        outcomes,
        reply.map(text -> new InferenceReply("call-1", text, Usage.NONE, "replica-1", true)));
  }
}
