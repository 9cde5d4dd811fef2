package dev.colony.library.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The level below an action that a child agent carries out: spawn it with the goal as its task,
 * wait for it, and take what its run gave. Made by rule, without asking a model. The run is
 * suspended while it waits; a child that does not complete its task is a failed action of the
 * level; going back stops the child.
 */
final class Delegation {

  /** The keys of the actions on children, as capabilities offer them. */
  static final String SPAWN = "agent_spawn";

  static final String AWAIT = "agent_await";
  static final String TERMINATE = "agent_terminate";

  private Delegation() {}

  static PlanLevel level(PlanItem item, PlanAction.SubPlan work, String kind) {
    JsonNodeFactory json = JsonNodeFactory.instance;
    ObjectNode task = json.objectNode().put("goal", work.goal());
    if (!work.input().isNull()) {
      task.set("input", work.input());
    }
    ObjectNode spawn = json.objectNode().put("kind", kind).put("name", item.id());
    spawn.set("task", task);
    ObjectNode await = json.objectNode().put("suspend", true).put("completed", true);
    await.putArray("names").add(item.id());
    PlanAction.Call terminate =
        new PlanAction.Call(TERMINATE, json.objectNode().put("name", item.id()));
    return PlanLevel.empty(work.goal())
        .with(
            new PlanDraft(
                List.of(
                    PlanAction.call("spawn", SPAWN, spawn).undo(terminate),
                    PlanAction.call("await", AWAIT, await).after("spawn")),
                Map.of(),
                List.of(),
                Optional.of(TextNode.valueOf("$results.await.0.output"))),
            item.id());
  }
}
