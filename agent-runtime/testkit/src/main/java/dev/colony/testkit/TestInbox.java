package dev.colony.testkit;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.client.AgentSignal;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.session.ResultPublisher;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.node.resumption.BlackboardResumptions;
import dev.colony.node.resumption.Resumptions.Trigger;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

/** Delivers to one agent what is in its inbox, as the reader of a node does. */
final class TestInbox {

  private static final int MESSAGES = 1_000;

  private final AgentId id;
  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final BlackboardResumptions resumptions;
  private final ResultPublisher results;
  private final Supplier<AgentSnapshot> state;
  private final Function<AgentCommand, Verdict> apply;

  /**
   * @param apply has a command decided and journaled
   */
  TestInbox(
      AgentId id,
      Blackboards blackboards,
      AgentDirectory directory,
      BlackboardResumptions resumptions,
      ResultPublisher results,
      Supplier<AgentSnapshot> state,
      Function<AgentCommand, Verdict> apply) {
    this.id = id;
    this.blackboards = blackboards;
    this.directory = directory;
    this.resumptions = resumptions;
    this.results = results;
    this.state = state;
    this.apply = apply;
  }

  /** Takes what the agent was sent; it stays in the inbox until it is journaled. */
  boolean delivered() {
    // Looked at again, what has come since lets the agent go on.
    state
        .get()
        .suspension()
        .ifPresent(suspension -> TestNode.now(resumptions.enter(id, suspension)));
    Inbox inbox = blackboards.inbox();
    boolean some = false;
    for (int bucket = 0; bucket < inbox.buckets(); bucket++) {
      for (InboxMessage message : TestNode.now(inbox.pending(bucket, MESSAGES))) {
        if (message.recipient().equals(id.persistenceId())) {
          if (deliver(message)) {
            TestNode.now(inbox.acknowledge(bucket, List.of(message)));
            some = true;
          }
        }
      }
    }
    return some;
  }

  /** Whether it is done with: an agent that takes no more runs for now takes it later. */
  private boolean deliver(InboxMessage message) {
    return switch (message) {
      case InboxMessage.Wake wake -> {
        apply.apply(new AgentCommand.NoticeEvents(wake.scope(), wake.position(), now()));
        yield true;
      }
      case InboxMessage.Request request -> {
        Optional<AgentSignal> signal = AgentSignal.of(request);
        signal.ifPresent(told -> deliver(request, told));
        yield signal.isPresent() || AgentDirectory.enters(request) || accepted(request);
      }
    };
  }

  private boolean accepted(InboxMessage.Request message) {
    RunRequest request = RunRequest.fromJson(message.value());
    return switch (apply.apply(new AgentCommand.AcceptRun(request, now()))) {
      case Verdict.Journal journaled -> true;
      case Verdict.Repeated repeated -> true;
      case Verdict.Busy busy -> false;
      case Verdict.Refused refused -> {
        AgentRun never = AgentRun.neverAccepted(request.runId(), refused.reason());
        TestNode.now(results.publish(id, request, never, Optional.empty()));
        yield true;
      }
    };
  }

  private void deliver(InboxMessage.Request request, AgentSignal signal) {
    switch (signal) {
      case AgentSignal.Wanted wanted -> {
        told(request, wanted.intent());
        if (wanted.intent() instanceof Intent.Approve approve) {
          goesOn(new Trigger.Approved(id, approve.request(), request.position()));
        }
      }
      case AgentSignal.Custom custom -> goesOn(new Trigger.Signalled(id, custom.name()));
      case AgentSignal.ConditionMet met ->
          apply.apply(
              new AgentCommand.Apply(
                  new Intent.Resume(OptionalLong.of(met.suspension()), met.reason()), now()));
      case AgentSignal.ChildEnded ended -> {
        List<AgentId> awaited =
            state
                .get()
                .active()
                .flatMap(run -> run.blocked())
                .map(Blocked::blockingAgentIds)
                .orElse(List.of());
        if (awaited.contains(ended.child())
            && TestNode.now(directory.allEnded(awaited, new HashSet<>()))) {
          apply.apply(
              new AgentCommand.Apply(
                  new Intent.ChangeState(LifecycleCommand.UNBLOCK, "all have ended"), now()));
        }
      }
    }
  }

  private void told(InboxMessage.Request request, Intent intent) {
    apply.apply(new AgentCommand.Apply(intent, Optional.of(request.position()), now()));
  }

  /** From the suspension that ends by it, if one does. */
  private void goesOn(Trigger.Told told) {
    OptionalLong due = TestNode.now(resumptions.due(told));
    if (due.isPresent()
        && !(apply.apply(
                new AgentCommand.Apply(new Intent.Resume(due, "what it waited for came"), now()))
            instanceof Verdict.Journal)) {
      TestNode.now(resumptions.leave(id, due.getAsLong()));
    }
  }

  private Instant now() {
    return blackboards.clock().instant();
  }
}
