package dev.colony.core.lifecycle;

import dev.colony.agent.Struggle;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The difficulties of the run at the head of an agent's queue, as its state shows them. Looks at so
 * many of the latest actions, however long the history is.
 */
final class RunStruggles {

  /** Failures of one action in a row; each further so many are told again. */
  static final int FAILURES = 3;

  /** Actions in a row that came to nothing new; each further so many are told again. */
  static final int STANDSTILL = 8;

  /** How far back it looks; a multiple of both. */
  static final int LOOKS = 24;

  private RunStruggles() {}

  static List<Struggle> of(AgentSnapshot state, RunLimits limits, Instant now) {
    List<Struggle> all = new ArrayList<>();
    ActiveRun run = state.active().orElseThrow();
    if (!run.history().isEmpty()) {
      ActionCall last = run.history().getLast();
      int failed =
          newest(
              run.history(),
              call -> failed(call) && call.action().key().equals(last.action().key()));
      if (failed >= FAILURES) {
        String error = Suspending.ReasonText.line(last.result().error());
        all.add(
            new Struggle.RepeatedFailure(last.action().key(), failed - failed % FAILURES, error));
      }
      int same = newest(run.history(), call -> failed(call) || repeats(call, last));
      if (same >= STANDSTILL) {
        all.add(new Struggle.NoProgress(same - same % STANDSTILL));
      }
    }
    if (run.spent().steps() > 0) {
      Duration left = Duration.between(now, limits.overAt(state));
      limits
          .of(state)
          .near(run.spent(), Optional.of(left))
          .map(Struggle.LimitNear::new)
          .ifPresent(all::add);
    }
    stuck(state, run).ifPresent(all::add);
    return all;
  }

  private static int newest(List<ActionCall> history, Predicate<ActionCall> which) {
    int most = Math.min(LOOKS, history.size());
    int found = 0;
    while (found < most && which.test(history.get(history.size() - 1 - found))) {
      found++;
    }
    return found;
  }

  private static boolean failed(ActionCall call) {
    return !call.result().success() && !call.result().blocked();
  }

  private static boolean repeats(ActionCall one, ActionCall other) {
    return one.action().key().equals(other.action().key())
        && one.action().params().equals(other.action().params())
        && one.result().status() == other.result().status()
        && one.result().output().equals(other.result().output());
  }

  /** A run that waits for agents leaves memory after the time that it may wait in it. */
  private static Optional<Struggle> stuck(AgentSnapshot state, ActiveRun run) {
    return state
        .suspension()
        .map(Suspension::cause)
        .filter(cause -> cause == SuspensionCause.BLOCKED)
        .flatMap(cause -> run.blocked())
        .filter(blocked -> blocked.until().isEmpty() && !blocked.blockingAgentIds().isEmpty())
        .map(Blocked::blockingAgentIds)
        .map(Struggle.DependencyStuck::new);
  }
}
