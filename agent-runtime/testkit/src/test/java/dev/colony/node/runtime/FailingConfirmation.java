package dev.colony.node.runtime;

import dev.colony.core.lifecycle.AgentEvent;
import org.apache.pekko.persistence.testkit.JournalOperation;
import org.apache.pekko.persistence.testkit.ProcessingPolicy;
import org.apache.pekko.persistence.testkit.ProcessingResult;
import org.apache.pekko.persistence.testkit.ProcessingSuccess;
import org.apache.pekko.persistence.testkit.StorageFailure;
import org.apache.pekko.persistence.testkit.WriteEvents;

/** A journal that does not take from an agent that a result is published. */
record FailingConfirmation(String persistenceId) implements ProcessingPolicy<JournalOperation> {

  @Override
  public ProcessingResult tryProcess(String agent, JournalOperation operation) {
    boolean confirms =
        agent.equals(persistenceId)
            && operation instanceof WriteEvents write
            && write.getBatch().stream().anyMatch(AgentEvent.ResultPublished.class::isInstance);
    return confirms
        ? StorageFailure.create(new IllegalStateException("the disk is full"))
        : ProcessingSuccess.getInstance();
  }
}
