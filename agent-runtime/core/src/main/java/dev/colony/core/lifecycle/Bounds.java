package dev.colony.core.lifecycle;

import dev.colony.agent.AgentKind;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunStats;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/** What the open run of an agent may take, and how long it may wait in memory. */
final class Bounds {

  private final RunLimits limits;

  Bounds(RunLimits limits) {
    this.limits = limits;
  }

  /**
   * Which bound of iterations, tokens or cost the run has reached, one line; each granted budget is
   * worth itself once more.
   */
  Optional<String> spent(AgentSnapshot state) {
    ActiveRun run = state.active().orElseThrow();
    RunBudget budget = limits.of(state);
    RunStats taken = run.spent();
    int steps = taken.steps();
    if (reached(budget.iterations().map(BigDecimal::valueOf), BigDecimal.valueOf(steps))
        .isPresent()) {
      return Optional.of("the run took " + steps + " iterations, as many as it may");
    }
    long tokens = taken.usage().promptTokens() + taken.usage().completionTokens();
    Optional<String> spent =
        reached(budget.tokens().map(BigDecimal::valueOf), BigDecimal.valueOf(tokens))
            .map(most -> "the run took " + tokens + " tokens; it may take " + most);
    return spent.or(() ->
        reached(budget.cost(), taken.cost())
            .map(most -> "the run cost " + taken.cost().toPlainString() + "; it may cost " + most));
  }

  /** What may be taken, where at least so much has been. */
  private static Optional<String> reached(Optional<BigDecimal> budget, BigDecimal taken) {
    return budget.filter(most -> taken.compareTo(most) >= 0).map(BigDecimal::toPlainString);
  }

  /** That the run's time is over, one line, if it is. */
  Optional<String> over(AgentSnapshot state, Instant now) {
    return now.isBefore(overAt(state))
        ? Optional.empty()
        : Optional.of("the run took longer than " + limits.of(state.budget()).time().orElseThrow());
  }

  /** When the run's time is over. */
  Instant overAt(AgentSnapshot state) {
    return limits.overAt(state);
  }

  /**
   * From when on a run that waits does so with its agent suspended. A service stays; but a
   * condition of the run's own is evaluated only for agents that are suspended.
   */
  Instant suspendAt(AgentSnapshot state) {
    Blocked blocked = state.active().flatMap(ActiveRun::blocked).orElseThrow();
    if (blocked.until().isPresent()) {
      return Instant.MIN;
    }
    return state.kind() == AgentKind.SERVICE
        ? Instant.MAX
        : blocked.since().plus(limits.suspension().afterWaiting());
  }

  /** When an agent that is UNLOADED and has work loads its pages by itself. */
  Instant loadsAt(AgentSnapshot state) {
    return state.suspension().orElseThrow().at().plus(limits.suspension().withoutPages());
  }
}
