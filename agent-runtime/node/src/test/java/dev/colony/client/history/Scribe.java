package dev.colony.client.history;

import dev.colony.agent.AgentId;
import dev.colony.client.history.AgentHistory.SnapshotSpacing;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Lifecycle;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;

/** Journals what it is told in an agent's name, with snapshots as an agent takes them. */
final class Scribe extends EventSourcedBehavior<Scribe.Journal, AgentEvent, AgentSnapshot> {

  /** Answered with the state after them, once they are durable. */
  record Journal(List<AgentEvent> events, ActorRef<AgentSnapshot> replyTo) {}

  private final Lifecycle lifecycle;
  private final SnapshotSpacing spacing;

  Scribe(AgentId agent, Lifecycle lifecycle, SnapshotSpacing spacing) {
    super(PersistenceId.ofUniqueId(agent.persistenceId()));
    this.lifecycle = lifecycle;
    this.spacing = spacing;
  }

  @Override
  public AgentSnapshot emptyState() {
    return AgentSnapshot.UNBORN;
  }

  @Override
  public CommandHandler<Journal, AgentEvent, AgentSnapshot> commandHandler() {
    return (state, journal) ->
        Effect().persist(journal.events()).thenRun(after -> journal.replyTo().tell(after));
  }

  @Override
  public EventHandler<AgentSnapshot, AgentEvent> eventHandler() {
    return lifecycle::apply;
  }

  @Override
  public boolean shouldSnapshot(AgentSnapshot state, AgentEvent event, long sequenceNr) {
    return spacing.due(state, sequenceNr);
  }
}
