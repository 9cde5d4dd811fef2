package dev.colony.agent.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An agent behind its scope on the blackboard. */
record BlackboardAgent(AgentId id, Blackboards blackboards, ClientSettings settings)
    implements AgentHandle {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  @Override
  public RunHandle run(JsonNode input, RunOptions options) {
    int size = input.toString().getBytes(StandardCharsets.UTF_8).length;
    if (size > settings.maxInputBytes()) {
      throw new IllegalArgumentException(
          "the input is "
              + size
              + " bytes, more than "
              + settings.maxInputBytes()
              + ": keep it on the blackboard and name it");
    }
    RunId runId = options.runId().orElseGet(RunId::random);
    RunRequest request =
        new RunRequest(
            ExecutionContext.of(id, runId),
            options.namespace(),
            input,
            options.requestedBy(),
            Instant.now());
    Blackboard board = board(options);
    Write write =
        Write.of(PROTOCOL.requestKey(id.name(), runId.value()), request.toJson()).ifAbsent();
    CompletionStage<WriteResult> sent = board.send(write, id.persistenceId());
    return new BlackboardRun(runId, board, sent, options.timeout(), settings.poll());
  }

  @Override
  public RunHandle attach(RunId runId, RunOptions options) {
    CompletionStage<WriteResult> before =
        CompletableFuture.completedStage(new WriteResult.VersionConflict(1));
    return new BlackboardRun(runId, board(options), before, options.timeout(), settings.poll());
  }

  private Blackboard board(RunOptions options) {
    return blackboards.open(id.scope().namespace(options.namespace()), options.requestedBy());
  }
}
