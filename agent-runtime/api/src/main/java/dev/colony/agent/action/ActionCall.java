package dev.colony.agent.action;

import dev.colony.agent.suspension.ResumptionCondition.Approved;
import java.util.Objects;
import java.util.Optional;

/** An action and what became of it: an element of a run's history. */
public record ActionCall(Action action, ActionResult result) {

  public ActionCall {
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(result, "result");
  }

  /** What a person has to approve before the action is done; empty if it does not wait for that. */
  public Optional<Approved> asked() {
    return result.blocked() && result.until().orElse(null) instanceof Approved approved
        ? Optional.of(approved)
        : Optional.empty();
  }
}
