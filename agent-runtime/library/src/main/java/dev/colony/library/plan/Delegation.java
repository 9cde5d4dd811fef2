package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The level below an action that a child agent carries out: spawn it with the goal as its task,
 * wait for it, and take what its run gave. Made by rule, without asking a model.
 */
final class Delegation {

  /** The keys of the actions that spawn children and wait for them, as capabilities offer them. */
  static final String SPAWN = "agent_spawn";

  static final String AWAIT = "agent_await";

  private Delegation() {}

  static PlanLevel level(PlanItem item, PlanAction.SubPlan work, String kind) {
    JsonNodeFactory json = JsonNodeFactory.instance;
    ObjectNode task = json.objectNode().put("goal", work.goal());
    if (!work.input().isNull()) {
      task.set("input", work.input());
    }
    ObjectNode spawn = json.objectNode().put("kind", kind).put("name", item.id());
    spawn.set("task", task);
    ObjectNode await = json.objectNode();
    await.putArray("names").add(item.id());
    Expectation completed =
        new Expectation(
            "the child reaches the goal",
            Optional.empty(),
            Map.<String, JsonNode>of("0.status", TextNode.valueOf("COMPLETED")));
    return PlanLevel.empty(work.goal())
        .with(
            new PlanDraft(
                List.of(
                    PlanAction.call("spawn", SPAWN, spawn),
                    PlanAction.call("await", AWAIT, await).after("spawn").expects(completed)),
                Map.of(),
                List.of(),
                Optional.of(TextNode.valueOf("$results.await.0.output"))),
            item.id());
  }
}
