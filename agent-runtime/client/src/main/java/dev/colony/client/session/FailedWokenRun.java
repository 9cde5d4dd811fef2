package dev.colony.client.session;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The last run of an agent that events have started and that has failed. No caller waits for such a
 * run, so that it stands under one {@linkplain #KEY key} of the agent's namespace for these runs,
 * where operators may subscribe to it.
 *
 * @param reason one line
 * @param at when it was made known, by the blackboard's clock
 */
public record FailedWokenRun(RunId run, String reason, Instant at) {

  /** In the namespace {@link EventBatch#NAMESPACE} of the agent's scope. */
  public static final String KEY = "last_failure";

  /** Where it stands. */
  public static Scope scope(AgentId agent) {
    return agent.scope().namespace(EventBatch.NAMESPACE);
  }

  /** That of an agent; empty where there was none, or it is no longer kept. */
  public static CompletionStage<Optional<FailedWokenRun>> of(
      Blackboards blackboards, AgentId agent) {
    return blackboards
        .open(scope(agent), "status")
        .read(KEY)
        .thenApply(found -> found.map(FailedWokenRun::read));
  }

  private static FailedWokenRun read(Entry entry) {
    return new FailedWokenRun(
        new RunId(entry.value().path("runId").asText()),
        entry.value().path("reason").asText(),
        entry.updatedAt());
  }

  static ObjectNode json(AgentRun run) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("runId", run.runId().value())
        .put("reason", run.error().orElse(""));
  }
}
