package dev.colony.agent.entity;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionDispatcher;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.lifecycle.JsonSize;
import java.util.List;
import java.util.function.Supplier;

/**
 * The dispatcher as a policy has it: it executes one action a step, none twice in a run, and counts
 * the tokens of the model calls that the action makes.
 */
final class StepDispatcher implements ActionDispatcher {

  private final ActionDispatcher dispatcher;
  private final Supplier<CurrentStep> current;
  private final int maxParamsBytes;

  /**
   * @param current the step that is under way; throws where there is none
   */
  StepDispatcher(ActionDispatcher dispatcher, Supplier<CurrentStep> current, int maxParamsBytes) {
    this.dispatcher = dispatcher;
    this.current = current;
    this.maxParamsBytes = maxParamsBytes;
  }

  @Override
  public ActionResult dispatch(Action action) {
    CurrentStep step = current.get();
    if (JsonSize.exceeds(action.params(), maxParamsBytes)) {
      return refused(
          action, "its parameters are larger than " + maxParamsBytes + " bytes: keep them apart");
    }
    if (step.state().result(action.actionId()).isPresent()) {
      return refused(action, "the run has had an action " + action.actionId() + " before");
    }
    if (!step.begin(action)) {
      return refused(action, "a step executes one action");
    }
    return step.end(new ActionCall(action, dispatcher.dispatch(action))).result();
  }

  @Override
  public List<ActionGroup> groups() {
    return dispatcher.groups();
  }

  private static ActionResult refused(Action action, String why) {
    return ActionResult.unsuccessful(action.actionId(), ActionResult.Status.REFUSED, why);
  }
}
