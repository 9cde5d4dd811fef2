package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionProvider;
import dev.colony.core.dispatch.CapabilityDispatcher;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The dispatcher as a policy has it: it executes one action a step, and none twice in a run. */
final class StepDispatcher implements ActionDispatcher {

  private final CapabilityDispatcher dispatcher;
  private final Supplier<CurrentStep> current;

  /**
   * @param current the step that is under way; throws where there is none
   */
  StepDispatcher(CapabilityDispatcher dispatcher, Supplier<CurrentStep> current) {
    this.dispatcher = dispatcher;
    this.current = current;
  }

  @Override
  public ActionResult dispatch(Action action) {
    CurrentStep step = current.get();
    if (step.state().result(action.actionId()).isPresent()) {
      return refused(action, "the run has had an action " + action.actionId() + " before");
    }
    if (!step.begin()) {
      return refused(action, "a step executes one action");
    }
    return step.end(action, dispatcher.dispatch(action));
  }

  /** Ends the external action of a step that a crash has cut off. */
  ActionResult finish(Action action, boolean retryable) {
    CurrentStep step = current.get();
    step.begin();
    return step.end(action, dispatcher.finish(action, retryable));
  }

  /** A step begins. */
  void enter(CurrentStep step) {
    dispatcher.enter(step.state(), step.journal());
  }

  /** It is over. */
  void leave() {
    dispatcher.leave();
  }

  @Override
  public JsonNode resolve(JsonNode value) {
    return dispatcher.resolve(value);
  }

  @Override
  public List<ActionGroup> groups() {
    return dispatcher.groups();
  }

  @Override
  public void offer(ActionProvider provider) {
    dispatcher.offer(provider);
  }

  @Override
  public void limitTo(Set<String> keys) {
    dispatcher.limitTo(keys);
  }

  private static ActionResult refused(Action action, String why) {
    return ActionResult.unsuccessful(action.actionId(), ActionResult.Status.REFUSED, why);
  }
}
