package dev.colony.agent.action;

import java.util.Objects;

/** An action and what became of it: an element of a run's history. */
public record ActionCall(Action action, ActionResult result) {

  public ActionCall {
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(result, "result");
  }
}
