package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One execution of a step of a script, moment by moment, so that anything can happen in between: it
 * asks the model what it has no answer to, journals the intent of an external action, executes it,
 * and ends.
 */
final class ScriptedIteration {

  private static final String REPEATABLE = "-repeatable";
  private static final String ONCE = "-once";
  private static final String INTERNAL = "-internal";
  static final String STREAM = "steps";
  static final AgentId OTHER = new AgentId("acme", "billing", "worker");

  private final AgentEffect.Iterate work;
  private final Script script;
  private final Consumer<String> executed;
  private final List<Supplier<Optional<AgentCommand>>> moments = new ArrayList<>();
  private final List<ActionCall> open = new ArrayList<>();
  private Optional<AgentCommand.RecordReply> held = Optional.empty();
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
      switch (step.act()) {
        case NONE -> {}
        case INTERNAL -> act();
        case RETRYABLE, ONCE -> {
          boolean retryable = step.act() == Script.Act.RETRYABLE;
          records(new AgentCommand.IntendAction(action(), retryable, delta(), Life.AT));
          act();
        }
        case SEVERAL -> {
          begins(part(REPEATABLE), true);
          begins(part(ONCE), false);
          if (!known().ended().contains(part(INTERNAL).actionId())) {
            executes(part(INTERNAL));
            ends(part(INTERNAL));
          }
          ends(part(ONCE));
          ends(part(REPEATABLE));
        }
      }
      ask("after", step.after());
    }
  }

  private void ask(String name, int calls) {
    for (int i = 0; i < calls; i++) {
      String call = name + i;
      if (!work.run().replies().containsKey(call)) {
        records(new AgentCommand.RecordAsking(call, 1_000, Life.AT));
        moments.add(() -> {
          held = Optional.of(new AgentCommand.RecordReply(call, reply(call), true, Life.AT));
          return Optional.empty();
        });
      }
    }
  }

  private void records(AgentCommand command) {
    moments.add(() -> Optional.of(command));
  }

  private void act() {
    executes(action());
    moments.add(() -> {
      acted = true;
      return Optional.empty();
    });
  }

  private void executes(Action action) {
    moments.add(() -> {
      executed.accept(Effects.idempotencyKey(work.name(), action.actionId()));
      return Optional.empty();
    });
  }

  /** What an execution before a crash has left. */
  private StepActions known() {
    return work.run().actions();
  }

  private void begins(Action action, boolean retryable) {
    boolean cutOff = known().begun().containsKey(action.actionId());
    if (known().ended().contains(action.actionId()) || cutOff && !retryable) {
      return;
    }
    records(new AgentCommand.BeginAction(action, retryable, Optional.empty(), Life.AT));
    moments.add(() -> {
      open.add(new ActionCall(action, succeeded(action)));
      return Optional.empty();
    });
    executes(action);
  }

  private void ends(Action action) {
    if (!known().ended().contains(action.actionId())) {
      moments.add(() -> {
        boolean cutOff = known().begun().containsKey(action.actionId());
        ActionResult result =
            cutOff && action.actionId().endsWith(ONCE)
                ? ActionResult.interrupted(action.actionId())
                : succeeded(action);
        open.removeIf(call -> call.action().equals(action));
        return Optional.of(
            new AgentCommand.EndAction(new ActionCall(action, result), Optional.empty(), Life.AT));
      });
    }
  }

  private Action part(String suffix) {
    return Action.of(action().actionId() + suffix, "echo", action().params());
  }

  /** Of the actions that have begun, the ends: a step is not over before them. */
  List<AgentCommand> open() {
    return open.stream()
        .<AgentCommand>map(call -> new AgentCommand.EndAction(call, Optional.empty(), Life.AT))
        .toList();
  }

  /** Whether an action must not be executed again, by its idempotency key. */
  static boolean once(Script script, String key) {
    String id = key.substring(key.lastIndexOf("/a") + 2);
    int step = Integer.parseInt(id.split("-")[0]);
    return script.steps().get(step).act() == Script.Act.ONCE || id.endsWith(ONCE);
  }

  /**
   * Goes on by one moment.
   *
   * @return what is to be journaled before it goes on again; empty if that is nothing
   */
  Optional<AgentCommand> advance() {
    return moments.get(next++).get().map(this::withReply);
  }

  /** A reply goes with what is journaled next. */
  private AgentCommand withReply(AgentCommand command) {
    AgentCommand both =
        held.<AgentCommand>map(reply -> new AgentCommand.WithReply(reply, command)).orElse(command);
    held = Optional.empty();
    return both;
  }

  /** Whether only {@link #end} is left. */
  boolean atItsEnd() {
    return next == moments.size();
  }

  AgentCommand end() {
    return withReply(new AgentCommand.CompleteStep(result(), delta(), Life.AT));
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
