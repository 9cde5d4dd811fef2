package dev.colony.node.activation;

import dev.colony.agent.AgentException;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.TraceBudget;
import dev.colony.inference.Budget;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** What the budget of all that one request has set off says of a model call. */
record TraceBounds(ExecutionContext context) {

  /** The budget that it shares with the other calls; empty where there is none. */
  Optional<CallContext.Shared> shared() {
    return context
        .budget()
        .map(most -> new Budget(most.tokens(), most.cost()))
        .filter(Budget::bounded)
        .map(most ->
            new CallContext.Shared("run " + context.trace() + " with all that it sets off", most));
  }

  /**
   * How long it may take.
   *
   * @throws AgentException if the time is over
   */
  Duration within(Duration longest, InstantSource clock) {
    Optional<Instant> until = context.budget().flatMap(TraceBudget::until);
    if (until.isEmpty()) {
      return longest;
    }
    Duration left = Duration.between(clock.instant(), until.get());
    if (!left.isPositive()) {
      String why =
          "run %s with all that it sets off has spent its time, which was until %s"
              .formatted(context.trace(), until.get());
      throw new AgentException(
          why, new InferenceException(InferenceException.Kind.OUT_OF_BUDGET, why, null), false);
    }
    return left.compareTo(longest) < 0 ? left : longest;
  }
}
