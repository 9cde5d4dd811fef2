package dev.colony.agent.resumption;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import dev.colony.vcm.PageId;
import java.util.Set;

/** Something that has happened, of which some suspended agents' conditions may speak. */
public sealed interface Trigger {

  /** An agent has stopped or failed, and the directory knows it. */
  record AgentEnded(AgentId agent) implements Trigger {}

  /** Pages have come into some replica's cache, and the page table of this node knows it. */
  record PagesArrived(Set<PageId> pages) implements Trigger {
    public PagesArrived {
      pages = Set.copyOf(pages);
    }
  }

  /** There is room for this agent, and it is its turn. */
  record RoomMade(AgentId agent) implements Trigger {}

  /**
   * Somebody has given the agent a signal of the application's own. Kept for a while where the
   * agent is not suspended, for the suspension that may be under way.
   */
  record Signalled(AgentId agent, String name) implements Trigger {}

  /** A person has said yes or no to what the agent asked for; kept as a signal is. */
  record Approved(AgentId agent, String request) implements Trigger {}

  /** Something was written that one of the agent's suspensions has itself woken for. */
  record Wrote(AgentId agent, long suspension, Scope scope) implements Trigger {}
}
