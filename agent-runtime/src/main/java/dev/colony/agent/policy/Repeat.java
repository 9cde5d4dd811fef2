package dev.colony.agent.policy;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.suspension.ResumptionCondition.Approved;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An action that waited for a person's word and is dispatched again when it is there, under an id
 * that is made of the first one: {@code pay}, {@code pay~2}.
 */
final class Repeat {

  private static final Pattern ID = Pattern.compile("(.+)~([1-9][0-9]{0,3})");

  /** An action of the history that nothing has come of yet. */
  private record Waiting(Action action, Approved asked) {}

  private Repeat() {}

  /** The id under which the action was dispatched first. */
  static String first(String actionId) {
    Matcher repeated = ID.matcher(actionId);
    return repeated.matches() ? repeated.group(1) : actionId;
  }

  /** The first of the run's actions that has got an answer and was not dispatched since. */
  static Optional<Action> answered(ActionPolicyExecutionState state) {
    return state.approvals().isEmpty()
        ? Optional.empty()
        : waiting(state).stream()
            .filter(one -> state.approval(one.asked().request()).isPresent())
            .findFirst()
            .map(one -> again(one.action()));
  }

  /** What the first of the run's actions waits for that has got no answer yet. */
  static Optional<Approved> unanswered(ActionPolicyExecutionState state) {
    return waiting(state).stream()
        .map(Waiting::asked)
        .filter(asked -> state.approval(asked.request()).isEmpty())
        .findFirst();
  }

  private static List<Waiting> waiting(ActionPolicyExecutionState state) {
    Map<String, Waiting> byFirst = new LinkedHashMap<>();
    for (ActionCall call : state.history()) {
      String id = first(call.action().actionId());
      if (call.result().blocked() && call.result().until().orElse(null) instanceof Approved asked) {
        byFirst.put(id, new Waiting(call.action(), asked));
      } else {
        byFirst.remove(id);
      }
    }
    return List.copyOf(byFirst.values());
  }

  private static Action again(Action action) {
    Matcher repeated = ID.matcher(action.actionId());
    String next =
        repeated.matches()
            ? repeated.group(1) + "~" + (Integer.parseInt(repeated.group(2)) + 1)
            : action.actionId() + "~2";
    return Action.of(next, action.key(), action.params());
  }
}
