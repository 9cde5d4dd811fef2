package dev.colony.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.journal.JournalReader.Stored;
import java.util.List;
import java.util.Map;

/**
 * What is left to look at when everything is over.
 *
 * @param steps that each run was asked to take
 * @param accepted the runs whose request was stored, by agent, in the order in which they were
 *     asked for
 * @param answered what the caller was told of each
 * @param published what stands on the blackboard for each
 * @param journals all events of each agent
 * @param deeds in the order in which the world saw them
 */
record Evidence(
    int steps,
    Map<AgentId, List<RunId>> accepted,
    Map<RunId, AgentRun> answered,
    Map<RunId, Published> published,
    Map<AgentId, List<Stored>> journals,
    List<Deed> deeds) {

  /**
   * A result on the blackboard.
   *
   * @param version counts its writes
   */
  record Published(JsonNode value, long version) {}

  List<RunId> runs() {
    return accepted.values().stream().flatMap(List::stream).toList();
  }
}
