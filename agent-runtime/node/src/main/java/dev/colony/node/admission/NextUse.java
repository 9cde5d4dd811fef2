package dev.colony.node.admission;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.At;
import dev.colony.agent.Suspension;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/** When an agent that does not work next calls a model, as far as its state says. */
public sealed interface NextUse {

  /** After that time. */
  record In(Duration time) implements NextUse {}

  /** Some time. */
  record Unknown() implements NextUse {}

  /** It has nothing to do. */
  record Never() implements NextUse {}

  /**
   * What a state says.
   *
   * @param state of an agent that has been spawned
   */
  static NextUse of(AgentSnapshot state, Instant now) {
    return switch (state.phase()) {
      case UNBORN, RESTING, ENDED -> new Never();
      case BLOCKED, ITERATING, INTENDED ->
          state.state().terminal()
              ? new Never()
              : until(state)
                  .flatMap(NextUse::time)
                  .<NextUse>map(at -> new In(Duration.between(now, at.isBefore(now) ? now : at)))
                  .orElseGet(Unknown::new);
    };
  }

  /** A run's own wait rather than that of its suspension, which also ends with the run's time. */
  private static Optional<ResumptionCondition> until(AgentSnapshot state) {
    Optional<Blocked> blocked = state.active().flatMap(ActiveRun::blocked);
    return blocked.isPresent()
        ? blocked.flatMap(Blocked::until)
        : state.suspension().flatMap(Suspension::until);
  }

  /** Of several times that would do the first, of several that are needed the last. */
  private static Optional<Instant> time(ResumptionCondition until) {
    return switch (until) {
      case At at -> Optional.of(at.time());
      case ResumptionCondition.AnyOf any ->
          any.of().stream().flatMap(one -> time(one).stream()).min(Comparator.naturalOrder());
      case ResumptionCondition.All all ->
          all.of().stream().flatMap(one -> time(one).stream()).max(Comparator.naturalOrder());
      default -> Optional.empty();
    };
  }
}
