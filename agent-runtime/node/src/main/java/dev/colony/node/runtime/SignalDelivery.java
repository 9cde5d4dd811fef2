package dev.colony.node.runtime;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.client.AgentSignal;
import dev.colony.client.RunPlace;
import dev.colony.client.StoredRun;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.entity.EntityClient.WakeReply;
import dev.colony.node.entity.ScopeEvents;
import dev.colony.node.resumption.Rehoming;
import dev.colony.node.resumption.Resumptions;
import dev.colony.node.resumption.Resumptions.Trigger;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what agents are told about their lives to them. It is acknowledged when the agent has
 * journaled what follows from it, or when nothing does: one that the agent refuses changes nothing.
 */
record SignalDelivery(
    Blackboards blackboards,
    AgentDirectory directory,
    ResumeService resumption,
    EntityClient entities,
    Rehoming rehoming) {

  private static final Logger LOG = LoggerFactory.getLogger(SignalDelivery.class);

  /**
   * Completes with the message to acknowledge, or with nothing if it is too early for it: what it
   * speaks of has not reached the agent yet, or the agent is held back by events that the store has
   * lost.
   */
  CompletionStage<Optional<InboxMessage>> deliver(
      InboxMessage.Request message, AgentSignal signal) {
    // Where it was said is the same however often it is delivered.
    Position position = message.position();
    CompletionStage<Boolean> heard =
        switch (signal) {
          case AgentSignal.Custom custom ->
              resumption
                  .by(new Trigger.Signalled(custom.agent(), custom.name()))
                  .thenApply(done -> true);
          case AgentSignal.ConditionMet met ->
              known(
                  met,
                  entry ->
                      resumption
                          .from(entry, met.agent(), met.suspension(), met.reason())
                          .thenApply(goesOn -> true));
          case AgentSignal.Wanted wanted -> known(wanted, entry -> apply(entry, wanted, position));
          case AgentSignal.ChildEnded ended -> known(ended, entry -> tell(entry, ended));
        };
    return heard.thenApply(done -> done ? Optional.of(message) : Optional.empty());
  }

  /** A signal to an agent that does not exist is done with. */
  private CompletionStage<Boolean> known(
      AgentSignal signal, Function<DirectoryEntry, CompletionStage<Boolean>> tell) {
    return directory
        .find(signal.agent())
        .thenCompose(
            entry -> entry.map(tell).orElseGet(() -> CompletableFuture.completedStage(true)));
  }

  /** An agent that goes on does so on the node that suits it best. */
  private CompletionStage<Boolean> apply(
      DirectoryEntry entry, AgentSignal.Wanted wanted, Position position) {
    Intent intent = wanted.intent();
    CompletionStage<Integer> home =
        intent instanceof Intent.Resume
            ? rehoming.settle(wanted.agent(), entry)
            : CompletableFuture.completedStage(entry.unit());
    return home.thenCompose(
            unit -> entities.apply(unit, wanted.agent(), intent, Optional.of(position)))
        .thenCompose(reply -> applied(wanted, position, reply));
  }

  private CompletionStage<Boolean> applied(
      AgentSignal.Wanted wanted, Position position, AcceptReply reply) {
    boolean heard = heard(wanted, reply);
    return switch (wanted.intent()) {
      case Intent.Approve approve when reply instanceof AcceptReply.Accepted ->
          resumption
              .by(new Trigger.Approved(wanted.agent(), approve.request(), position))
              .thenApply(done -> true);
      case Intent.Cancel cancel when reply instanceof AcceptReply.Rejected ->
          ended(wanted, cancel.run());
      case Intent any -> CompletableFuture.completedStage(heard);
    };
  }

  private CompletionStage<Boolean> tell(DirectoryEntry entry, AgentSignal.ChildEnded ended) {
    String why = "child " + ended.child() + " is " + ended.state();
    return entities
        .childEnded(entry.unit(), ended.agent(), ended.child(), why)
        .thenApply(reply -> heard(ended, reply));
  }

  /** Whether the agent has taken it or never will; one that is put off hears it later. */
  private static boolean heard(AgentSignal signal, AcceptReply reply) {
    return switch (reply) {
      case AcceptReply.Accepted accepted -> true;
      case AcceptReply.Rejected rejected -> {
        if (signal instanceof AgentSignal.Wanted wanted
            && wanted.intent() instanceof Intent.Revise) {
          LOG.warn("the blueprint of {} stays as it is: {}", signal.agent(), rejected.reason());
        }
        LOG.debug("{} makes no difference: {}", signal, rejected.reason());
        yield true;
      }
      case AcceptReply.Busy busy -> false;
    };
  }

  /**
   * The agent does not know the run: because it is over, or because its request, which is in the
   * same inbox, has not reached the agent yet. Then this is to be delivered again after it.
   */
  private CompletionStage<Boolean> ended(AgentSignal.Wanted cancel, RunId run) {
    RunPlace place = RunPlace.of(cancel.agent(), cancel.namespace().orElseThrow(), run);
    return StoredRun.read(place, blackboards.open(place.scope(), cancel.agent().persistenceId()))
        .thenApply(found -> !found.open());
  }

  /**
   * Has agents go on whose suspensions are at their ends, where they had better live. What says
   * that one is at its end stays in the inbox until the agent has journaled it, so that it is said
   * again whichever node dies. Thread-safe.
   */
  record ResumeService(
      AgentDirectory directory, Resumptions resumptions, Rehoming rehoming, EntityClient entities) {

    /**
     * Has an agent go on if its suspension ends by something that a message tells of; completes
     * when the message is done with.
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

  /**
   * Takes the news that something was written, or that an agent was spawned, to the agent. It is
   * acknowledged when the agent has journaled what follows from it; a wake, up to where the agent
   * will read. What a suspended agent's condition waits for is taken to its evaluation.
   */
  record WakeDelivery(
      AgentDirectory directory,
      ScopeEvents events,
      SignalDelivery.ResumeService resumption,
      EntityClient entities) {

    private static final Logger LOG = LoggerFactory.getLogger(WakeDelivery.class);

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
}
