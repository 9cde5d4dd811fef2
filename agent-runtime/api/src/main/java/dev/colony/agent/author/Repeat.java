package dev.colony.agent.author;

import dev.colony.agent.action.Action;
import dev.colony.agent.suspension.ResumptionCondition.Approved;
import java.util.Optional;

/**
 * An action that waited for a person's word and is dispatched again when it is there, under an id
 * that is made of the first one: {@code pay}, {@code pay~2}.
 */
final class Repeat {

  private Repeat() {}

  /** The first of the run's actions that has got an answer and was not dispatched since. */
  static Optional<Action> answered(ActionPolicyExecutionState state) {
    return state.approvals().isEmpty()
        ? Optional.empty()
        : state.history().pending().stream()
            .filter(one -> one.asked().flatMap(it -> state.approval(it.request())).isPresent())
            .findFirst()
            .map(one -> one.action().next());
  }

  /** What the first of the run's actions waits for that has got no answer yet. */
  static Optional<Approved> unanswered(ActionPolicyExecutionState state) {
    return state.history().pending().stream()
        .flatMap(one -> one.asked().stream())
        .filter(asked -> state.approval(asked.request()).isEmpty())
        .findFirst();
  }
}
