package dev.colony.core.lifecycle;

import dev.colony.blackboard.Position;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Has a signal about an agent's life take effect once, though it is delivered at least once, and in
 * the order in which it was said: what comes behind something later makes no difference.
 */
final class SignalOrder {

  private SignalOrder() {}

  /**
   * The signal is journaled with what follows from it; also where nothing does because the agent is
   * so already: once it is so no longer, the same signal must not be applied again. A refusal
   * changes nothing.
   *
   * @param signal where it was given, in the agent's own scope
   * @param said what its intent leads to
   */
  static Verdict decide(AgentSnapshot state, Position signal, Instant at, Supplier<Verdict> said) {
    if (state.status().overtakes(signal)) {
      return new Verdict.Repeated();
    }
    List<AgentEvent> events = new ArrayList<>();
    events.add(new AgentEvent.SignalApplied(signal, at));
    return switch (said.get()) {
      case Verdict.Journal journal -> {
        events.addAll(journal.events());
        yield new Verdict.Journal(events);
      }
      case Verdict.Repeated repeated -> new Verdict.Journal(events);
      case Verdict.Refused refused -> refused;
      case Verdict.Busy busy -> busy;
    };
  }
}
