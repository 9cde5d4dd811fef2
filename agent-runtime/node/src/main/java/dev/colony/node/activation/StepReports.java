package dev.colony.node.activation;

import dev.colony.core.lifecycle.AgentCommand;
import java.util.concurrent.CompletableFuture;

/** Takes what comes of an agent's steps, from any thread; its actor stands behind it. */
public interface StepReports {

  /** A step has come to this. */
  void ended(CancellationToken asked, AgentCommand command);

  /**
   * Something within a step is to be journaled; the step goes on when it is.
   *
   * @param durable is completed then, and fails if it is refused
   */
  void record(CancellationToken asked, AgentCommand command, CompletableFuture<Void> durable);

  /** The policy was made, and this is whether it takes events into its runs. */
  void learned(boolean takesEvents);

  /** The process itself is broken, which is nothing that an agent could go on from. */
  void broken(VirtualMachineError error);
}
