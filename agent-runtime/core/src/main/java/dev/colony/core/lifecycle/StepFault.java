package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What in a step's record could not be journaled, or not be read again: half a surrogate pair, a
 * number beyond all bounds. It is found out before, as its size is, and named by its path.
 */
final class StepFault {

  private StepFault() {}

  /** One line; empty if there is no fault. */
  static Optional<String> of(ActionPolicyIterationResult result, StepDelta delta) {
    return first(
        () -> result.call().flatMap(StepFault::of),
        () -> condition(result.until()),
        () -> result.output().flatMap(StepFault::of),
        () -> result.error().flatMap(error -> text("the kind of the error", error.kind())),
        () -> result.error().flatMap(error -> text("its action id", error.actionId().orElse(""))),
        () -> of(delta));
  }

  /** Of an action that is about to begin. */
  static Optional<String> of(Action action, StepDelta delta) {
    return first(() -> of(action), () -> of(delta));
  }

  /** Of an action that has ended. */
  static Optional<String> of(ActionCall call) {
    ActionResult result = call.result();
    return first(
        () -> of(call.action()),
        () -> value(() -> "the output of action " + call.action().actionId(), result.output()),
        () -> text("the key of its output", result.stored().orElse("")),
        () -> condition(result.until()));
  }

  private static Optional<String> of(Action action) {
    return first(
        () -> text("the id of an action", action.actionId()),
        () -> text("the key of an action", action.key()),
        () -> value(() -> "the parameters of action " + action.actionId(), action.params()));
  }

  private static Optional<String> of(ActionPolicyOutput output) {
    return first(
        () -> value("the output", output.finalResult()),
        () -> values("the result", output.exportedResults()),
        () ->
            output.learnedPatterns().stream()
                .map(pattern -> text("a learned pattern", pattern))
                .flatMap(Optional::stream)
                .findFirst());
  }

  private static Optional<String> of(StepDelta delta) {
    return first(
        () -> value("what the policy keeps", delta.custom()),
        () -> value("what the policy keeps of the agent", delta.policy()),
        () -> values("the snapshot of", delta.capabilities()),
        () -> delta.streams().stream().map(StepFault::of).flatMap(Optional::stream).findFirst(),
        () ->
            delta
                .disabled()
                .flatMap(keys ->
                    keys.stream()
                        .map(key -> text("the key of a capability", key))
                        .flatMap(Optional::stream)
                        .findFirst()));
  }

  private static Optional<String> of(StreamAppend append) {
    return first(
        () -> text("the name of a stream", append.stream()),
        () -> text("the kind of an entry of stream " + append.stream(), append.entry().kind()),
        () -> value("an entry of stream " + append.stream(), append.entry().content()));
  }

  private static Optional<String> condition(Optional<ResumptionCondition> until) {
    return until.flatMap(awaited -> value("what the run waits for", awaited.toJson()));
  }

  private static Optional<String> values(String what, Map<String, JsonNode> values) {
    for (Map.Entry<String, JsonNode> one : values.entrySet()) {
      Optional<String> fault =
          first(
              () -> text("the name of " + what + " " + one.getKey(), one.getKey()),
              () -> value(what + " " + one.getKey(), one.getValue()));
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> value(String what, JsonNode value) {
    return ValueRules.fault(what, value);
  }

  /** The same of what has to be put into words first, which is done where there is a fault. */
  private static Optional<String> value(Supplier<String> what, JsonNode value) {
    return ValueRules.fault("", value).isEmpty() ? Optional.empty() : value(what.get(), value);
  }

  private static Optional<String> text(String what, String text) {
    return Text.fault(Text.wellFormed(what), text);
  }

  @FunctionalInterface
  private interface Look {
    Optional<String> fault();
  }

  private static Optional<String> first(Look... looks) {
    for (Look look : looks) {
      Optional<String> fault = look.fault();
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }
}
