package dev.colony.agent.entity;

import dev.colony.agent.client.AgentSignal;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.lifecycle.LifecycleCommand;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.protocol.LifecycleSignal;
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

  private final AgentDirectory directory;
  private final AgentDoor door;

  SignalDelivery(AgentDirectory directory, AgentDoor door) {
    this.directory = directory;
    this.door = door;
  }

  /** Completes with the message to acknowledge. */
  CompletionStage<InboxMessage> deliver(InboxMessage message, AgentSignal signal) {
    return directory
        .find(signal.agent())
        .thenCompose(entry ->
            entry.isEmpty()
                ? CompletableFuture.completedStage(message)
                : tell(entry.get().unit(), signal)
                    .thenApply(reply -> heard(message, signal, reply)));
  }

  private CompletionStage<AcceptReply> tell(int unit, AgentSignal signal) {
    return switch (signal) {
      case AgentSignal.Told told ->
          door.transition(unit, told.agent(), command(told.signal()), told.reason());
      case AgentSignal.CancelRun cancel ->
          door.cancel(unit, cancel.agent(), cancel.run(), cancel.reason());
      case AgentSignal.ChildEnded ended ->
          door.transition(
              unit,
              ended.agent(),
              LifecycleCommand.UNBLOCK,
              "child " + ended.child() + " is " + ended.state());
    };
  }

  private static InboxMessage heard(InboxMessage message, AgentSignal signal, AcceptReply reply) {
    if (reply instanceof AcceptReply.Rejected rejected) {
      LOG.debug("{} makes no difference: {}", signal, rejected.reason());
    }
    return message;
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
