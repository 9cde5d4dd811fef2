package dev.colony.node.inbox;

import dev.colony.agent.AgentId;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.entity.AcceptReply;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.home.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Trigger;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Has agents go on whose suspensions are at their ends, where they had better live. What says that
 * one is at its end stays in the inbox until the agent has journaled it, so that it is said again
 * whichever node dies. Thread-safe.
 */
final class ResumeService {

  private final AgentDirectory directory;
  private final Resumptions resumptions;
  private final Rehoming rehoming;
  private final EntityClient entities;

  ResumeService(
      AgentDirectory directory, Resumptions resumptions, Rehoming rehoming, EntityClient entities) {
    this.directory = directory;
    this.resumptions = resumptions;
    this.rehoming = rehoming;
    this.entities = entities;
  }

  /**
   * Has an agent go on if its suspension ends by something that a message tells of; completes when
   * the message is done with.
   */
  CompletionStage<Void> by(Trigger.Told told) {
    return resumptions
        .due(told)
        .thenCombine(directory.find(told.agent()), (due, entry) -> by(told, due, entry))
        .thenCompose(done -> done);
  }

  private CompletionStage<Void> by(
      Trigger.Told told, OptionalLong due, Optional<DirectoryEntry> entry) {
    return due.isEmpty() || entry.isEmpty()
        ? CompletableFuture.completedStage(null)
        : from(entry.get(), told.agent(), due.getAsLong(), Resumptions.MET)
            // It may have been suspended anew, or be about to be: then the message is for that.
            .thenCompose(goesOn ->
                goesOn || told instanceof Trigger.Wrote
                    ? CompletableFuture.completedStage(null)
                    : by(told));
  }

  /** Has an agent go on from one suspension; false if it is in that one no more. */
  CompletionStage<Boolean> from(
      DirectoryEntry entry, AgentId agent, long suspension, String reason) {
    return rehoming
        .settle(agent, entry)
        .thenCompose(unit ->
            entities.apply(
                unit,
                agent,
                new Intent.Resume(OptionalLong.of(suspension), reason),
                Optional.empty()))
        .thenCompose(reply ->
            reply instanceof AcceptReply.Accepted
                ? CompletableFuture.completedStage(true)
                // The agent is not to be woken from it again.
                : resumptions.leave(agent, suspension).thenApply(done -> false));
  }
}
