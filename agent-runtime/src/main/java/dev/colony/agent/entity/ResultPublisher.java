package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.lifecycle.RunKeys;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** Puts the results of runs on the blackboard: the first one of a run stays. */
final class ResultPublisher {

  private final Blackboards blackboards;
  private final Backoff backoff;

  ResultPublisher(Blackboards blackboards, Backoff backoff) {
    this.blackboards = blackboards;
    this.backoff = backoff;
  }

  /** Writes the result and its event in one operation if there is none yet; repeats until done. */
  CompletionStage<?> publish(
      AgentId agent, String namespace, AgentRun run, BooleanSupplier givenUp) {
    Write write = Write.of(RunKeys.result(run.runId()), run.toJson()).ifAbsent();
    return backoff.repeat(
        "publishing the result of " + run.runId(),
        givenUp,
        () ->
            blackboards
                .open(agent.scope().namespace(namespace), agent.persistenceId())
                .write(write));
  }
}
