package dev.colony.agent.session;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.util.concurrent.CompletionStage;

/** Puts the results of runs on the blackboard: the first one of a run stays. */
public final class ResultPublisher {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Blackboards blackboards;
  private final RunRecorder recorder;

  public ResultPublisher(Blackboards blackboards, RunRecorder recorder) {
    this.blackboards = blackboards;
    this.recorder = recorder;
  }

  /**
   * Records the run's end in its session, then writes the result and its event in one operation if
   * there is none yet.
   */
  public CompletionStage<WriteResult> publish(AgentId agent, RunRequest request, AgentRun run) {
    return recorder
        .ended(agent, request, run)
        .thenCompose(recorded ->
            publish(agent.persistenceId(), agent.scope().namespace(request.namespace()), run));
  }

  /**
   * Writes the result of a request that cannot be read, so that no session knows of it.
   *
   * @param agent the agent's persistent name: its own results must not wake it
   * @param scope where the request stands
   */
  public CompletionStage<WriteResult> publish(String agent, Scope scope, AgentRun run) {
    Write write = Write.of(PROTOCOL.resultKey(run.runId().value()), run.toJson()).ifAbsent();
    return blackboards.open(scope, agent).write(write);
  }
}
