package dev.colony.agent.lifecycle;

import dev.colony.agent.RunBudget;
import java.util.Objects;
import java.util.Optional;

/**
 * The bounds of an agent's work.
 *
 * @param usual what a run may take whose agent's blueprint says nothing; bounds iterations and time
 * @param most what a blueprint may ask for; empty where it may ask for anything
 * @param maxQueuedRuns accepted and unfinished, the executing one included; further ones are
 *     refused
 * @param rememberedRuns how many finished runs an agent knows again by itself
 * @param maxOutputBytes of a run's output and of a step's record, about
 * @param windowBytes how much of its own actions a run keeps before it, about; the oldest go
 * @param prices of the tokens
 * @param suspension of runs that wait
 */
public record RunLimits(
    RunBudget usual,
    RunBudget most,
    int maxQueuedRuns,
    int rememberedRuns,
    int maxOutputBytes,
    int windowBytes,
    Prices prices,
    SuspensionLimits suspension) {

  public RunLimits {
    Objects.requireNonNull(most, "most");
    Objects.requireNonNull(prices, "prices");
    Objects.requireNonNull(suspension, "suspension");
    if (usual.iterations().isEmpty() || usual.time().isEmpty()) {
      throw new IllegalArgumentException("a run needs a bound of iterations and of time");
    }
  }

  /** What a run may take whose agent's blueprint has this budget. */
  public RunBudget of(RunBudget asked) {
    return new RunBudget(
        least(asked.iterations().or(usual::iterations), most.iterations()),
        least(asked.time().or(usual::time), most.time()),
        least(asked.tokens().or(usual::tokens), most.tokens()),
        least(asked.cost().or(usual::cost), most.cost()),
        asked.whenSpent());
  }

  private static <T extends Comparable<T>> Optional<T> least(Optional<T> one, Optional<T> other) {
    return one.isPresent() && other.isPresent()
        ? Optional.of(one.get().compareTo(other.get()) <= 0 ? one.get() : other.get())
        : one.or(() -> other);
  }
}
