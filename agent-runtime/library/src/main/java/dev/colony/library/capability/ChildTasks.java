package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.KeyGlob;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which run is the task of each child: the entry {@code task:CHILD} of the parent, written before
 * the run is asked for, so that the task is found whatever the parent's node remembers. Blocks;
 * thread-safe.
 */
final class ChildTasks {

  private static final String PREFIX = "task:";
  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Blackboard board;

  /** Those of which an entry was written or read. */
  private final Map<String, RunId> known = new ConcurrentHashMap<>();

  ChildTasks(Blackboard board) {
    this.board = board;
  }

  /** A run is the child's task from now on, in place of the one before. */
  void give(String child, RunId run, String goal) {
    ObjectNode task =
        JsonNodeFactory.instance.objectNode().put("run", run.value()).put("goal", goal);
    await(board.write(Write.of(PREFIX + child, task)));
    known.put(child, run);
  }

  /** Empty for a child that was given none. */
  Optional<RunId> of(String child) {
    RunId here = known.get(child);
    if (here != null) {
      return Optional.of(here);
    }
    Optional<RunId> stored =
        await(board.read(PREFIX + child))
            .map(Entry::value)
            .map(task -> new RunId(task.path("run").asText()));
    stored.ifPresent(run -> known.put(child, run));
    return stored;
  }

  /** That the task has a result, or the child has ended without one. */
  static ResumptionCondition over(AgentId child, RunId task) {
    return ResumptionCondition.any(
        new ResumptionCondition.Event(
            child.scope().namespace(ChildrenCapability.NAMESPACE),
            new KeyGlob(PROTOCOL.resultKey(task.value())),
            Optional.of(Position.BEGINNING)),
        new ResumptionCondition.ChildrenCompleted(List.of(child)));
  }

  JsonNode snapshot() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    known.forEach((child, run) -> json.put(child, run.value()));
    return json.isEmpty() ? JsonNodeFactory.instance.nullNode() : json;
  }

  void restore(JsonNode snapshot) {
    snapshot
        .properties()
        .forEach(one -> known.put(one.getKey(), new RunId(one.getValue().asText())));
  }

  private static <T> T await(CompletionStage<T> stage) {
    try {
      return Await.result(stage);
    } catch (RuntimeException failure) {
      throw new AgentException("the tasks of the children: " + failure.getMessage(), failure, true);
    }
  }
}
