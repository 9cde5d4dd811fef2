package dev.colony.core.lifecycle;

import java.util.List;

/** What becomes of a command. */
public sealed interface Verdict {

  /** These events, in one atomic append. */
  record Journal(List<AgentEvent> events) implements Verdict {
    public Journal {
      events = List.copyOf(events);
    }
  }

  /** It was carried out before: answer as then. */
  record Repeated() implements Verdict {}

  /** It cannot be carried out; the reason is one line for people. */
  record Refused(String reason) implements Verdict {}

  /** It cannot be carried out for now, and may be later; the reason is one line for people. */
  record Busy(String reason) implements Verdict {}

  static Verdict journal(AgentEvent... events) {
    return new Journal(List.of(events));
  }
}
