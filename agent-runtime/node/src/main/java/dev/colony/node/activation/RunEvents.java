package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.core.retry.Backoff;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** What a run makes known while it goes on. */
final class RunEvents {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final AgentId agent;
  private final Blackboards blackboards;
  private final Duration keep;
  private final Backoff backoff;

  /**
   * @param keep how long each is kept
   */
  RunEvents(AgentId agent, Blackboards blackboards, Duration keep, Backoff backoff) {
    this.keep = keep;
    this.agent = agent;
    this.blackboards = blackboards;
    this.backoff = backoff;
  }

  /**
   * Blocks until it is stored.
   *
   * @throws CancellationException if the work is cancelled or the caller interrupted meanwhile
   */
  void emit(RunRequest run, String name, JsonNode data, CancellationToken token) {
    Blackboard board =
        blackboards.open(agent.scope().namespace(run.namespace()), agent.persistenceId());
    Write write = Write.of(PROTOCOL.eventKey(run.runId().value(), name), data).ttl(keep);
    CompletableFuture<WriteResult> stored =
        backoff
            .repeat(
                "making an event of run " + run.runId() + " known",
                token::cancelled,
                () -> board.write(write))
            .toCompletableFuture();
    try {
      token.await(stored);
    } catch (ExecutionException failed) {
      throw Backoff.cause(failed) instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failed);
    }
  }
}
