package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.ActionPolicyOutput;
import dev.colony.agent.step.StepDelta;
import dev.colony.agent.step.StreamAppend;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One execution of a step of a script, moment by moment, so that anything can happen in between: it
 * asks the model what it has no answer to, journals the intent of an external action, executes it,
 * and ends.
 */
final class ScriptedIteration {

  static final String STREAM = "steps";
  static final AgentId OTHER = new AgentId("acme", "billing", "worker");

  private final AgentEffect.Iterate work;
  private final Script script;
  private final Consumer<String> executed;
  private final List<AgentCommand> records = new ArrayList<>();
  private int next;
  private boolean acted;

  /**
   * @param executed told the idempotency key of each action that is started
   */
  ScriptedIteration(AgentEffect.Iterate work, Script script, Consumer<String> executed) {
    this.work = work;
    this.script = script;
    this.executed = executed;
    if (!over()) {
      Script.Step step = step();
      ask("before", step.before());
      if (step.act().external()) {
        records.add(
            new AgentCommand.IntendAction(
                action(), step.act() == Script.Act.RETRYABLE, delta(), Life.AT));
      }
      if (step.act() != Script.Act.NONE) {
        records.add(null);
      }
      ask("after", step.after());
    }
  }

  private void ask(String name, int calls) {
    for (int i = 0; i < calls; i++) {
      String call = name + i;
      if (!work.run().replies().containsKey(call)) {
        records.add(new AgentCommand.RecordAsking(call, 1_000, Life.AT));
        records.add(new AgentCommand.RecordReply(call, reply(call), true, Life.AT));
      }
    }
  }

  /**
   * Goes on by one moment.
   *
   * @return what is to be journaled before it goes on again; empty if that is nothing
   */
  Optional<AgentCommand> advance() {
    AgentCommand record = records.get(next++);
    if (record == null) {
      acted = true;
      executed.accept(Effects.idempotencyKey(work.name(), action().actionId()));
    }
    return Optional.ofNullable(record);
  }

  /** Whether only {@link #end} is left. */
  boolean atItsEnd() {
    return next == records.size();
  }

  AgentCommand end() {
    return new AgentCommand.CompleteStep(result(), delta(), Life.AT);
  }

  /** What the runner makes of an iteration whose journal refused it something. */
  AgentCommand broken(String why) {
    return new AgentCommand.CompleteStep(
        with(ActionPolicyIterationResult.failed(ErrorContext.of("policy", why))),
        StepDelta.NONE,
        Life.AT);
  }

  private ActionPolicyIterationResult result() {
    if (over()) {
      ArrayNode history = JsonNodeFactory.instance.arrayNode();
      work.run()
          .history()
          .forEach(call -> history.add(call.action().actionId() + " " + call.result().status()));
      return ActionPolicyIterationResult.completed(ActionPolicyOutput.of(history));
    }
    ErrorContext error = ErrorContext.of("script", "as it is written");
    return with(
        switch (step().end()) {
          case GO_ON -> ActionPolicyIterationResult.skipped();
          case IDLE -> ActionPolicyIterationResult.awaitingEvents();
          case BLOCKED -> ActionPolicyIterationResult.blocked("waits", List.of());
          case ASKS ->
              ActionPolicyIterationResult.blocked("asks", new ResumptionCondition.Approved("lead"));
          case WAITS -> ActionPolicyIterationResult.blocked("waits", List.of(OTHER));
          case FAIL -> ActionPolicyIterationResult.failed(error);
          case TERMINATE -> ActionPolicyIterationResult.terminated(error);
        });
  }

  private ActionPolicyIterationResult with(ActionPolicyIterationResult result) {
    return result.call(
        acted ? Optional.of(new ActionCall(action(), succeeded(action()))) : Optional.empty());
  }

  static ActionResult succeeded(Action action) {
    return ActionResult.succeeded(action.actionId(), action.params()).usage(new Usage(2, 1, 1));
  }

  private Action action() {
    return Action.of("a" + number(), "echo", JsonNodeFactory.instance.numberNode(number()));
  }

  /** It leaves a trace in whatever an agent keeps. */
  private StepDelta delta() {
    ObjectNode custom = JsonNodeFactory.instance.objectNode().put("step", number());
    JsonNode content = JsonNodeFactory.instance.textNode(work.name());
    return new StepDelta(
        custom,
        List.of(
            new StreamAppend(STREAM, 1000, new StreamEntry(StreamEntry.ACTION, Life.AT, content))),
        Map.of("capability", custom),
        Optional.empty(),
        Optional.empty());
  }

  private boolean over() {
    return number() >= script.steps().size();
  }

  private Script.Step step() {
    return script.steps().get(number());
  }

  private int number() {
    return work.run().stats().steps();
  }

  static InferenceReply reply(String text) {
    return InferenceReply.text("call", text, new Usage(5, 3, 2), "replica", true);
  }
}
