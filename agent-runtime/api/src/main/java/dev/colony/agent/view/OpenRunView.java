package dev.colony.agent.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.suspension.Approval;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How far the run that an agent executes has come. Callers do not change {@code entries}.
 *
 * @param actions of the completed steps, the newest of them in a run of very many
 * @param entries the policy's own, by their names
 * @param approvals what persons have answered to what the run asked for, by the requests' names
 * @param budgetGrants how many times more it may spend its budget
 * @param events for the current step
 * @param performed the actions of the current step that have ended, where it has several
 * @param intended the actions with an external effect that may have started within the current step
 *     and are not known to have ended
 * @param result the run's end, while it waits to be published
 */
public record OpenRunView(
    List<ActionView> actions,
    ObjectNode entries,
    Map<String, Approval> approvals,
    int budgetGrants,
    List<EventBatch> events,
    List<ActionView> performed,
    List<Intent> intended,
    Optional<AgentRun> result) {

  /**
   * An action that may have started.
   *
   * @param actionId names it within its run
   * @param key which action of which capability
   * @param retryable whether it may be executed again under the same idempotency key
   */
  public record Intent(String actionId, String key, JsonNode parameters, boolean retryable) {}

  public OpenRunView {
    Objects.requireNonNull(entries, "entries");
    actions = List.copyOf(actions);
    approvals = Map.copyOf(approvals);
    events = List.copyOf(events);
    performed = List.copyOf(performed);
    intended = List.copyOf(intended);
  }
}
