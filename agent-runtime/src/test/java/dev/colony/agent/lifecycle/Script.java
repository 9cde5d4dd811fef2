package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.Action;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.Decision;
import dev.colony.agent.ModelCall;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunView;
import java.util.List;
import java.util.Optional;

/** A policy that follows a list of steps and completes with what became of each. */
record Script(List<Step> steps) implements ActionPolicy {

  enum Kind {
    INTERNAL,
    RETRYABLE,
    ONCE
  }

  record Step(boolean asks, Kind kind) {}

  @Override
  public Decision planStep(RunView view) {
    if (view.step() == steps.size()) {
      var output = JsonNodeFactory.instance.arrayNode();
      view.outcomes()
          .forEach(outcome ->
              output.add(outcome.actionId() + " " + outcome.status() + " " + outcome.result()));
      return new Decision.Complete(output);
    }
    Step step = steps.get(view.step());
    if (step.asks() && view.reply().isEmpty()) {
      return new Decision.Infer(
          new ModelCall("", List.of(), "step " + view.step(), Optional.empty(), 10));
    }
    var params =
        JsonNodeFactory.instance.textNode(view.reply().map(reply -> reply.text()).orElse("none"));
    String id = "a" + view.step();
    return new Decision.Act(
        switch (step.kind()) {
          case INTERNAL -> Action.internal(id, "echo", params);
          case RETRYABLE -> Action.external(id, "echo", params, true);
          case ONCE -> Action.external(id, "echo", params, false);
        });
  }

  @Override
  public Decision onModelFailure(RunView view, ModelFailure failure) {
    return new Decision.Act(
        Action.internal(
            "a" + view.step(), "echo", JsonNodeFactory.instance.textNode(failure.message())));
  }
}
