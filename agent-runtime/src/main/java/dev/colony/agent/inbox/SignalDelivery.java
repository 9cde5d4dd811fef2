package dev.colony.agent.inbox;

import dev.colony.agent.AgentException;
import dev.colony.agent.client.AgentSignal;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.directory.DirectoryEntry;
import dev.colony.agent.entity.AcceptReply;
import dev.colony.agent.entity.AgentDoor;
import dev.colony.agent.home.Rehoming;
import dev.colony.agent.lifecycle.LifecycleCommand;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.resumption.Trigger;
import dev.colony.agent.suspension.Approval;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.LifecycleSignal;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what agents are told about their lives to them. It is acknowledged when the agent has
 * journaled what follows from it, or when nothing does: one that the agent refuses changes nothing.
 */
final class SignalDelivery {

  private static final Logger LOG = LoggerFactory.getLogger(SignalDelivery.class);

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final Resumptions resumptions;
  private final AgentDoor door;
  private final Rehoming rehoming;

  SignalDelivery(
      Blackboards blackboards,
      AgentDirectory directory,
      Resumptions resumptions,
      AgentDoor door,
      Rehoming rehoming) {
    this.blackboards = blackboards;
    this.directory = directory;
    this.resumptions = resumptions;
    this.door = door;
    this.rehoming = rehoming;
  }

  /** Completes with the message to acknowledge. */
  CompletionStage<InboxMessage> deliver(InboxMessage.Request message, AgentSignal signal) {
    return directory
        .find(signal.agent())
        .thenCompose(entry ->
            entry.isEmpty()
                ? CompletableFuture.completedStage(message)
                : unit(entry.get(), signal)
                    .thenCompose(unit -> tell(unit, signal, message.position()))
                    .thenCompose(reply -> heard(signal, message.position(), reply))
                    .thenApply(heard -> message));
  }

  /** Whoever goes on does so where it had better live. */
  private CompletionStage<Integer> unit(DirectoryEntry entry, AgentSignal signal) {
    boolean goesOn =
        signal instanceof AgentSignal.ConditionMet
            || signal instanceof AgentSignal.Told told && told.signal() == LifecycleSignal.RESUME;
    return goesOn
        ? rehoming.settle(signal.agent(), entry)
        : CompletableFuture.completedStage(entry.unit());
  }

  /**
   * @param word where it was said, the same however often it is delivered
   */
  private CompletionStage<AcceptReply> tell(int unit, AgentSignal signal, Position word) {
    return switch (signal) {
      case AgentSignal.Told told ->
          door.transition(unit, told.agent(), command(told.signal()), told.reason(), word);
      case AgentSignal.Suspend suspend ->
          door.suspend(
              unit,
              suspend.agent(),
              SuspensionCause.EXPLICIT,
              suspend.reason(),
              suspend.until(),
              word);
      case AgentSignal.ConditionMet met ->
          door.resume(unit, met.agent(), OptionalLong.of(met.suspension()), met.reason());
      case AgentSignal.Custom custom ->
          resumptions
              .happened(new Trigger.Signalled(custom.agent(), custom.name()))
              .thenApply(woken -> new AcceptReply.Accepted());
      case AgentSignal.Approve approve ->
          door.approve(
              unit,
              approve.agent(),
              new Approval(
                  approve.request(),
                  approve.granted(),
                  approve.by(),
                  approve.reason(),
                  Instant.now()),
              word);
      case AgentSignal.CancelRun cancel ->
          door.cancel(unit, cancel.agent(), cancel.run(), cancel.reason());
      case AgentSignal.ChildEnded ended ->
          door.childEnded(
              unit,
              ended.agent(),
              ended.child(),
              "child " + ended.child() + " is " + ended.state());
    };
  }

  private CompletionStage<Void> heard(AgentSignal signal, Position word, AcceptReply reply) {
    return switch (reply) {
      case AcceptReply.Accepted accepted when signal instanceof AgentSignal.Approve approve ->
          resumptions
              .happened(new Trigger.Approved(approve.agent(), approve.request(), word))
              .thenAccept(woken -> {});
      case AcceptReply.Accepted accepted -> CompletableFuture.completedStage(null);
      // The suspension is over: nobody is to wake the agent from it again.
      case AcceptReply.Rejected rejected when signal instanceof AgentSignal.ConditionMet met ->
          resumptions.leave(met.agent(), met.suspension());
      case AcceptReply.Rejected rejected when signal instanceof AgentSignal.CancelRun cancel ->
          ended(cancel);
      case AcceptReply.Rejected rejected -> {
        LOG.debug("{} makes no difference: {}", signal, rejected.reason());
        yield CompletableFuture.completedStage(null);
      }
    };
  }

  /**
   * The agent does not know the run: because it is over, or because its request, which is in the
   * same inbox, has not reached the agent yet. Then this is to be delivered again after it.
   */
  private CompletionStage<Void> ended(AgentSignal.CancelRun cancel) {
    String run = cancel.run().value();
    String request = PROTOCOL.requestKey(cancel.agent().name(), run);
    return blackboards
        .open(cancel.scope(), cancel.agent().persistenceId())
        .readAll(List.of(request, PROTOCOL.resultKey(run)))
        .thenAccept(found -> {
          boolean pending = found.size() == 1 && found.getFirst().key().equals(request);
          if (pending) {
            throw new AgentException("run " + run + " is not accepted yet", null, true);
          }
        });
  }

  private static LifecycleCommand command(LifecycleSignal signal) {
    return switch (signal) {
      case SUSPEND -> LifecycleCommand.SUSPEND;
      case RESUME -> LifecycleCommand.RESUME;
      case STOP -> LifecycleCommand.STOP;
      case PAGES_EVICTED -> LifecycleCommand.PAGES_EVICTED;
      case PAGES_AVAILABLE -> LifecycleCommand.PAGES_AVAILABLE;
    };
  }
}
