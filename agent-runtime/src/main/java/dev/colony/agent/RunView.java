package dev.colony.agent;

import dev.colony.inference.InferenceReply;
import java.util.List;
import java.util.Optional;

/**
 * All that a policy may decide from; every part of it is durable.
 *
 * @param step counted from 0
 * @param outcomes of the steps before, in their order
 * @param reply the model's reply within this step; empty before the model was asked
 */
public record RunView(
    AgentId agent,
    RunRequest request,
    int step,
    List<ActionOutcome> outcomes,
    Optional<InferenceReply> reply) {

  /** The outcome of an action of an earlier step. Cost: linear in the steps. */
  public Optional<ActionOutcome> outcome(String actionId) {
    for (int i = outcomes.size() - 1; i >= 0; i--) {
      if (outcomes.get(i).actionId().equals(actionId)) {
        return Optional.of(outcomes.get(i));
      }
    }
    return Optional.empty();
  }
}
