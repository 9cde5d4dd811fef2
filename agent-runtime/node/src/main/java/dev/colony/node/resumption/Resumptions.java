package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Has suspended agents go on when their conditions hold. Thread-safe; no call blocks; stages fail
 * as the blackboard does, and what failed may be repeated: each of these makes of the second time
 * the same as of the first.
 *
 * <p>An agent is woken by a {@link dev.colony.client.AgentSignal.ConditionMet} in its inbox, which
 * names the suspension. It may come more than once, and late; the agent takes the first one of the
 * suspension that lasts, and no other.
 */
public interface Resumptions {

  /** Why an agent goes on, for people, where its condition holds. */
  String MET = "what it was suspended until has come";

  /**
   * Has an agent woken when what its suspension waits for has come, which is looked at before this
   * completes. Replaces what was entered for an earlier suspension of the agent; changes nothing
   * where a later one is entered. To be called after the suspension is journaled, again until it
   * completes. Without a condition it only takes the earlier one away.
   */
  CompletionStage<Void> enter(AgentId agent, Suspension suspension);

  /**
   * Forgets what was entered for a suspension of the agent, or for one before it.
   *
   * @param suspension its number; {@link Long#MAX_VALUE} for whatever is entered
   */
  CompletionStage<Void> leave(AgentId agent, long suspension);

  /**
   * Whether a suspension that is over may stay entered while its agent works: by nothing that it
   * waits for would others find the agent again and again.
   */
  static boolean mayStay(ResumptionCondition until) {
    return until
        .leaves()
        .allMatch(leaf ->
            leaf instanceof ResumptionCondition.Custom
                || leaf instanceof ResumptionCondition.Approved
                || leaf instanceof ResumptionCondition.At
                || leaf instanceof ResumptionCondition.Immediate);
  }

  /**
   * Wakes those whose conditions hold now that something has happened.
   *
   * @return how many, when what wakes them is stored; who was woken already and has not gone on yet
   *     is not counted
   */
  CompletionStage<Integer> happened(Trigger trigger);

  /**
   * Notes something that a message has told of, and says which suspension of the agent ends by it.
   * No agent is woken: the caller has the agent go on from that suspension, or {@link #leave
   * forgets} it where the agent is in it no more, before the message is done with. That is one
   * message less to store, to read and to take out than {@link #happened} needs.
   *
   * @return empty if the agent does not go on
   */
  CompletionStage<OptionalLong> due(Trigger.Told told);

  /**
   * The condition with each {@link ResumptionCondition.Event} and {@link
   * ResumptionCondition.Approved} that does not say after which position beginning at what is the
   * end of its scope now: for an agent that is not suspended yet, must not miss what is written
   * until then, and must not take what was said before for an answer.
   */
  CompletionStage<ResumptionCondition> anchored(AgentId agent, ResumptionCondition condition);

  /**
   * The suspended agents that wait for capacity, alone or among other things. Reading it costs as
   * much as is read. The admission scheduler announces that an agent may have capacity with a
   * {@link Trigger.CapacityFreed}. Thread-safe; no call blocks; stages fail as the blackboard does.
   */
  public interface CapacityQueue {

    /**
     * A suspended agent that waits for capacity.
     *
     * @param suspension its number
     * @param rank see {@link WaitOrder}
     */
    record Waiting(AgentId agent, long suspension, long rank) {}

    /**
     * Tenants of which agents wait, in the order of their names.
     *
     * @param limit at least 1; fewer come only if there are no more
     * @param after the last one of the page before
     */
    CompletionStage<List<String>> tenants(int limit, Optional<String> after);

    /**
     * Those of a tenant who wait, in the order of their ranks, lowest first. Who was woken is not
     * among them.
     *
     * @param limit at least 1; fewer come only if there are no more
     * @param after the last one of the page before
     */
    CompletionStage<List<Waiting>> waiting(String tenant, int limit, Optional<Waiting> after);

    /** In which order those who wait for capacity stand. */
    @FunctionalInterface
    public interface WaitOrder {

      /** Who waits longest comes first. */
      WaitOrder BY_AGE =
          (agent, suspension) ->
              CompletableFuture.completedStage(suspension.since().toEpochMilli());

      /**
       * The agent's rank among those of its tenant, lowest first; 0 to {@link WaitOrder#MOST}, what
       * is beyond counts as the nearest of these. Asked when the agent is entered, once.
       */
      CompletionStage<Long> rank(AgentId agent, Suspension suspension);

      /** By when they came and by the head start of their priority. */
      static WaitOrder aged(AgentDirectory directory, Aging aging) {
        return (agent, suspension) ->
            directory
                .find(agent)
                .thenApply(known ->
                    known
                        .map(entry ->
                            aging.rank(
                                SlotRequest.of(agent, entry.blueprint(), suspension.since())))
                        .orElse(suspension.since().toEpochMilli()));
      }

      /** The last rank. */
      long MOST = 999_999_999_999_999L;
    }
  }

  /** Something that has happened, of which some suspended agents' conditions may speak. */
  public sealed interface Trigger {

    /**
     * Something that a message says which is kept, and delivered again, until what follows from it
     * is done; and that concerns one agent.
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
    record Wrote(
        AgentId agent, long suspension, int part, Scope scope, String key, Position position)
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
}
