package dev.colony.agent.entity;

import dev.colony.agent.AgentRun;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.util.concurrent.CompletionStage;

/** Puts the results of runs on the blackboard: the first one of a run stays. */
final class ResultPublisher {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Blackboards blackboards;

  ResultPublisher(Blackboards blackboards) {
    this.blackboards = blackboards;
  }

  /**
   * Writes the result and its event in one operation if there is none yet.
   *
   * @param agent the agent's persistent name: its own results must not wake it
   * @param scope where the request stands
   */
  CompletionStage<WriteResult> publish(String agent, Scope scope, AgentRun run) {
    Write write = Write.of(PROTOCOL.resultKey(run.runId().value()), run.toJson()).ifAbsent();
    return blackboards.open(scope, agent).write(write);
  }
}
