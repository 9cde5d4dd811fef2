package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * What one run of an agent may take; the run ends, saying which bound it reached. A bound that is
 * empty is the node's, see {@code colony.agent.run}.
 *
 * @param iterations of the policy
 * @param time from the acceptance to the end, waiting included
 * @param tokens prompt and completion tokens of all its model calls, cached ones included
 * @param cost money in the unit of the node's prices
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunBudget(
    Optional<Integer> iterations,
    Optional<Duration> time,
    Optional<Long> tokens,
    Optional<BigDecimal> cost) {

  public static final RunBudget OF_NODE =
      new RunBudget(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public RunBudget {
    iterations.ifPresent(value -> positive("iterations", value > 0, value));
    time.ifPresent(value -> positive("time", value.isPositive(), value));
    tokens.ifPresent(value -> positive("tokens", value > 0, value));
    cost.ifPresent(value -> positive("cost", value.signum() > 0, value));
  }

  public RunBudget iterations(int most) {
    return new RunBudget(Optional.of(most), time, tokens, cost);
  }

  public RunBudget time(Duration longest) {
    return new RunBudget(iterations, Optional.of(longest), tokens, cost);
  }

  public RunBudget tokens(long most) {
    return new RunBudget(iterations, time, Optional.of(most), cost);
  }

  public RunBudget cost(BigDecimal most) {
    return new RunBudget(iterations, time, tokens, Optional.of(most));
  }

  private static void positive(String name, boolean is, Object value) {
    if (!is) {
      throw new IllegalArgumentException(
          "a run's budget of " + name + " must be positive, not: " + value);
    }
  }
}
