package dev.colony.node.entity;

import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.activation.StepReports;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What comes of an agent's steps goes to its actor. */
record ActorReports(Consumer<AgentMessage> self) implements StepReports {

  @Override
  public void ended(CancellationToken asked, AgentCommand command) {
    self.accept(new AgentMessage.Ended(asked, command));
  }

  @Override
  public void record(
      CancellationToken asked, AgentCommand command, CompletableFuture<Void> durable) {
    self.accept(new AgentMessage.Record(asked, command, durable));
  }

  @Override
  public void learned(boolean takesEvents) {
    self.accept(new AgentMessage.Learned(takesEvents));
  }

  @Override
  public void broken(VirtualMachineError error) {
    self.accept(new AgentMessage.Broken(error));
  }
}
