package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.vcm.PageId;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Something that has happened, of which some suspended agents' conditions may speak. */
public sealed interface Trigger {

  /**
   * Something that a message says which is kept, and delivered again, until what follows from it is
   * done; and that concerns one agent.
   */
  sealed interface Told extends Trigger {
    AgentId agent();
  }

  /** An agent has stopped or failed, and the directory knows it. */
  record AgentEnded(AgentId agent) implements Trigger {}

  /** Pages have come into some replica's cache, and the page table of this node knows it. */
  record PagesArrived(Set<PageId> pages) implements Trigger {
    public PagesArrived {
      pages = Set.copyOf(pages);
    }
  }

  /** There is capacity for this agent, and it is its turn. */
  record CapacityFreed(AgentId agent) implements Trigger {}

  /**
   * A caller has given the agent a signal of the application's own. Kept for a while where the
   * agent is not suspended, for the suspension that may be under way.
   */
  record Signalled(AgentId agent, String name) implements Told {}

  /**
   * A person has said yes or no to what the agent asked for; kept as a signal is.
   *
   * @param said where, in the agent's own scope
   */
  record Approved(AgentId agent, String request, Position said) implements Told {}

  /**
   * Something was written that one of the agent's suspensions waits for.
   *
   * @param part which part of what it waits for in that scope; many patterns take several
   * @param key of the write that the blackboard told of; there may be later ones
   */
  record Wrote(AgentId agent, long suspension, int part, Scope scope, String key, Position position)
      implements Told {

    private static final Pattern RECIPIENT =
        Pattern.compile("until:(\\d{1,18}):(\\d{1,3}):([A-Za-z0-9._~/-]+)");

    /** What a wake in the inbox says, if it is for a suspended agent's condition. */
    public static Optional<Wrote> of(InboxMessage.Wake wake) {
      Matcher matcher = RECIPIENT.matcher(wake.recipient());
      if (!matcher.matches()) {
        return Optional.empty();
      }
      try {
        return Optional.of(
            new Wrote(
                AgentId.parse(matcher.group(3)),
                Long.parseLong(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                wake.scope(),
                wake.key(),
                wake.position()));
      } catch (IllegalArgumentException noAgent) {
        return Optional.empty();
      }
    }

    /** Under which name the blackboard is asked to tell of writes. */
    static String recipient(AgentId agent, long suspension, int part) {
      return "until:" + suspension + ":" + part + ":" + agent.persistenceId();
    }
  }
}
