package dev.colony.deploy.ask;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import java.util.Optional;

/**
 * What must be known to come back to a run from another process; kept on the blackboard.
 *
 * @param source the tree that was asked about, for people
 * @param pages how many pages it was mapped to
 */
public record AskRecord(
    String runId, String question, String source, String map, int pages, long startedMillis) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The coordinator of a run: one an agent, so that runs do not wait for each other. */
  AgentId coordinator() {
    return new AgentId(Asking.TENANT, Asking.COLONY, "coordinator-" + runId);
  }

  void save(Blackboards blackboards) {
    board(blackboards).write(Write.of(runId, JSON.valueToTree(this))).toCompletableFuture().join();
  }

  static Optional<AskRecord> find(Blackboards blackboards, RunId runId) {
    return board(blackboards)
        .read(runId.value())
        .toCompletableFuture()
        .join()
        .map(entry -> JSON.convertValue(entry.value(), AskRecord.class));
  }

  private static Blackboard board(Blackboards blackboards) {
    return blackboards.open(
        Scope.colony(Asking.TENANT, Asking.COLONY).namespace("asked"), "colony-run");
  }
}
