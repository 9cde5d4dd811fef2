package dev.colony.library.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.SharedActionHistory;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A run of a policy without an actor: keeps between iterations what the journal would keep. */
public final class PolicyRun {

  private static final ObjectMapper JSON = new ObjectMapper();
  public static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");

  final List<ActionCall> history = new ArrayList<>();
  public final Map<String, Approval> approvals = new HashMap<>();
  ObjectNode custom = JSON.createObjectNode();
  DurableMemory memory = DurableMemory.EMPTY;
  Optional<SessionId> session = Optional.empty();
  public ActionPolicyExecutionState state;
  private final ActionPolicy policy;
  private final RunRequest request;
  private int iteration;

  public PolicyRun(ActionPolicy policy, JsonNode input) {
    this(policy, "requests", input);
  }

  public PolicyRun(ActionPolicy policy, String namespace, JsonNode input) {
    this.policy = policy;
    this.request =
        new RunRequest(
            ExecutionContext.of(new AgentId("acme", "lab", "tester"), new RunId("r1")),
            namespace,
            input,
            "test",
            AT);
  }

  public ActionPolicyIterationResult next(EventBatch... events) throws Exception {
    state =
        new ActionPolicyExecutionState(
            new ActionPolicyExecutionState.Given(
                request,
                iteration++,
                RunStats.NONE,
                SharedActionHistory.of(List.copyOf(history)),
                custom,
                List.of(events),
                session,
                memory,
                approvals));
    ActionPolicyIterationResult result = policy.executeIteration(state);
    StepDelta delta = state.delta();
    ObjectNode kept = custom.deepCopy();
    delta
        .custom()
        .properties()
        .forEach(one -> {
          if (one.getValue().isNull()) {
            kept.remove(one.getKey());
          } else {
            kept.set(one.getKey(), one.getValue());
          }
        });
    custom = (ObjectNode) json(kept.toString());
    memory = memory.after(delta);
    session = delta.session().or(() -> session);
    result.call().ifPresent(history::add);
    return result;
  }

  public static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
