package dev.colony.node.inbox;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.InboxMessage;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.ScopeEvents;
import dev.colony.node.entity.WakeReply;
import dev.colony.node.resumption.Trigger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the news that something was written, or that an agent was spawned, to the agent. It is
 * acknowledged when the agent has journaled what follows from it; a wake, up to where the agent
 * will read. What a suspended agent's condition waits for is taken to its evaluation.
 */
final class WakeDelivery {

  private static final Logger LOG = LoggerFactory.getLogger(WakeDelivery.class);

  private final AgentDirectory directory;
  private final ScopeEvents events;
  private final ResumeService resumption;
  private final EntityClient entities;

  WakeDelivery(
      AgentDirectory directory,
      ScopeEvents events,
      ResumeService resumption,
      EntityClient entities) {
    this.directory = directory;
    this.events = events;
    this.resumption = resumption;
    this.entities = entities;
  }

  /** Completes with the message to acknowledge. */
  CompletionStage<InboxMessage> wake(InboxMessage.Wake wake) {
    Optional<Trigger.Wrote> awaited = Trigger.Wrote.of(wake);
    if (awaited.isPresent()) {
      return resumption.by(awaited.get()).thenApply(done -> wake);
    }
    AgentId agent;
    try {
      agent = AgentId.parse(wake.recipient());
    } catch (IllegalArgumentException malformed) {
      LOG.warn("a wake is dropped: {}", malformed.getMessage());
      return CompletableFuture.completedStage(wake);
    }
    return directory
        .find(agent)
        .thenCompose(entry -> {
          if (entry.isEmpty()) {
            LOG.info("{} is watched for agent {}, which is gone", wake.scope(), agent);
            return events.drop(agent, wake.scope()).thenApply(done -> wake);
          }
          return entities
              .notice(entry.get().unit(), agent, wake.scope(), wake.position())
              .thenApply(reply ->
                  switch (reply) {
                    case WakeReply.Noticed noticed -> wake.seenUpTo(noticed.upTo());
                    case WakeReply.Ignored ignored -> wake;
                  });
        });
  }

  /** Completes when the agent runs and is woken for what it handles, or is gone. */
  CompletionStage<InboxMessage> start(InboxMessage entered) {
    AgentId agent;
    try {
      agent = AgentId.parse(entered.recipient());
    } catch (IllegalArgumentException malformed) {
      LOG.warn("an entry of the directory is dropped: {}", malformed.getMessage());
      return CompletableFuture.completedStage(entered);
    }
    return directory
        .find(agent)
        .thenCompose(entry ->
            entry.isEmpty()
                ? CompletableFuture.completedStage(entered)
                : entities.start(entry.get().unit(), agent).thenApply(reply -> entered));
  }
}
