package dev.colony.agent.lifecycle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Has what somebody says of an agent's life take effect once, though it is delivered at least once,
 * and in the order in which it was said: what comes behind something later makes no difference.
 */
final class SignalOrder {

  private SignalOrder() {}

  /**
   * What was said is journaled with what follows from it; also where nothing does because the agent
   * is so already: once it is so no longer, the same word must not be carried out again. A refusal
   * changes nothing.
   *
   * @param said what its command leads to
   */
  static Verdict decide(
      AgentSnapshot state, AgentCommand.ApplySignal signal, Supplier<Verdict> said) {
    if (state.status().overtakes(signal.signal())) {
      return new Verdict.Repeated();
    }
    List<AgentEvent> events = new ArrayList<>();
    events.add(new AgentEvent.SignalApplied(signal.signal(), signal.at()));
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
