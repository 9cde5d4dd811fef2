package dev.colony.core.capacity;

/**
 * An agent that waits durably for capacity.
 *
 * @param suspension the number of the suspension that waits
 */
public record Candidate(WaitingAgent agent, long suspension) {

  public SlotRequest request() {
    return agent.request();
  }

  /** Whether both are the same wait of the same agent, whatever is known of it. */
  boolean same(Candidate other) {
    return suspension == other.suspension && request().agent().equals(other.request().agent());
  }
}
