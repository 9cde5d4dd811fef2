package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** Actions that behave. */
class Workshop extends AgentCapability {

  record Part(String name, int weight) {
    Part {
      if (weight < 0) {
        throw new IllegalArgumentException("a weight is 0 or more, not " + weight);
      }
    }
  }

  final List<String> calls = new CopyOnWriteArrayList<>();
  int failures;

  Workshop(CapabilityContext context) {
    super(context);
  }

  @Override
  public Optional<String> summary() {
    return Optional.of("Makes things.");
  }

  @Override
  public JsonNode readable() {
    return Dispatching.json("{'tools':['saw','file']}");
  }

  @ActionExecutor(summary = "Joins two texts.", tags = "text")
  String join(@Param("the first one") String left, Optional<String> right) {
    calls.add("join");
    return left + right.orElse("");
  }

  @ActionExecutor(writes = "part")
  Part makePart(String name, int weight) {
    return new Part(name, weight);
  }

  @ActionExecutor(writes = {"name", "weight"})
  Part weigh(Part part) {
    return new Part(part.name(), part.weight() + 1);
  }

  @ActionExecutor
  JsonNode echo(JsonNode value) {
    return value;
  }

  @ActionExecutor(writes = "text")
  String text(int length) {
    return "x".repeat(length);
  }

  @ActionExecutor(writes = {"head", "body"})
  Map<String, String> page(int length) {
    return Map.of("head", "h", "body", "x".repeat(length));
  }

  @ActionExecutor(effect = Effect.EXTERNAL, key = "tool_use")
  String order(String what, IdempotencyKey key) {
    calls.add("order " + what + " " + key.value());
    return "ordered " + what;
  }

  @ActionExecutor(effect = Effect.EXTERNAL, retryable = false)
  String pay(String what) {
    calls.add("pay " + what);
    return "paid";
  }

  @ActionExecutor(effect = Effect.EXTERNAL, approval = true)
  String sell(String what, int price) {
    calls.add("sell " + what);
    return "sold";
  }

  @ActionExecutor(excludeFromPlanning = true)
  void quietly() {
    calls.add("quietly");
  }

  @ActionExecutor
  CompletionStage<String> later(String value) {
    return CompletableFuture.supplyAsync(() -> value);
  }

  @ActionExecutor
  CompletionStage<String> neverGood() {
    return CompletableFuture.supplyAsync(() -> {
      throw AgentException.refused("no such\nthing");
    });
  }

  @ActionExecutor
  ActionResult waits(ActionContext context) {
    return ActionResult.blocked(
        context.actionId(), "waiting for b", List.of(new AgentId("acme", "lab", "b")));
  }

  @ActionExecutor(attempts = 3)
  String flaky(boolean passing, IdempotencyKey key) {
    calls.add(key.value());
    if (calls.size() <= failures) {
      throw new AgentException("not now", null, passing);
    }
    return "done";
  }

  @ActionExecutor
  JsonNode resumes(ActionContext context) {
    calls.add(context.lastCheckpoint().map(JsonNode::asText).orElse("none"));
    context.checkpoint(TextNode.valueOf("half"));
    context.progress(0.5, "half\nway");
    return TextNode.valueOf("all");
  }
}
