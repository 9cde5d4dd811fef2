package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.Action;
import dev.colony.agent.ActionContext;
import dev.colony.agent.ActionExecutor;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentCapability;
import dev.colony.agent.Blueprint;
import dev.colony.agent.Decision;
import dev.colony.agent.EventBatch;
import dev.colony.agent.EventPattern;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunView;
import dev.colony.agent.TypeProvider;
import dev.colony.blackboard.Scope;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A policy that does one action per step, each after a model call, and completes with the outcomes;
 * and an action that a test can hold up. Its input says how many steps, and what kind of action. A
 * run that events started does one action, called "woken", and completes with what it was given.
 */
final class TestTypes implements TypeProvider {

  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of("test.steps"), Blueprint.of("test.work"));

  /** An agent that handles events. */
  static AgentBlueprint hearing(EventPattern... patterns) {
    ObjectNode args = JsonNodeFactory.instance.objectNode();
    ArrayNode list = args.putArray("patterns");
    for (EventPattern pattern : patterns) {
      list.addObject().put("scope", pattern.scope().path()).put("keys", pattern.keys().pattern());
    }
    return AgentBlueprint.of(
        Blueprint.of("test.steps"), Blueprint.of("test.work"), new Blueprint("test.ears", args));
  }

  /** The idempotency keys of the actions as they begin. */
  final BlockingQueue<String> begun = new LinkedBlockingQueue<>();

  private final ConcurrentMap<String, CountDownLatch> held = new ConcurrentHashMap<>();

  /** Holds up the action of this id until it is released, or for ever. */
  CountDownLatch hold(String actionId) {
    return held.computeIfAbsent(actionId, id -> new CountDownLatch(1));
  }

  void releaseAll() {
    held.values().forEach(CountDownLatch::countDown);
    held.clear();
  }

  @Override
  public void register(Types types) {
    types.policy("test.steps", args -> new Steps());
    types.capability("test.work", (args, context) -> new Work());
    types.capability("test.ears", (args, context) -> Ears.of(args));
  }

  static JsonNode input(int steps, String kind) {
    return JsonNodeFactory.instance.objectNode().put("steps", steps).put("kind", kind);
  }

  private static final class Steps implements ActionPolicy {
    @Override
    public Decision planStep(RunView view) {
      if (EventBatch.of(view.request()).isPresent()) {
        return view.step() == 1
            ? new Decision.Complete(view.request().input())
            : new Decision.Act(
                Action.internal("woken", "work", JsonNodeFactory.instance.textNode("woken")));
      }
      if (view.step() == view.request().input().path("steps").asInt()) {
        return new Decision.Complete(
            JsonNodeFactory.instance.textNode(
                String.join(" ", view.outcomes().stream().map(Steps::brief).toList())));
      }
      if (view.reply().isEmpty()) {
        return new Decision.Infer(new ModelCall("", List.of(), "?", Optional.empty(), 4));
      }
      String id = "a" + view.step();
      JsonNode params = JsonNodeFactory.instance.textNode(id);
      return new Decision.Act(
          switch (view.request().input().path("kind").asText()) {
            case "once" -> Action.external(id, "work", params, false);
            case "retryable" -> Action.external(id, "work", params, true);
            case "unknown" -> Action.internal(id, "nothing", params);
            default -> Action.internal(id, "work", params);
          });
    }

    private static String brief(ActionOutcome outcome) {
      return outcome.actionId() + "=" + outcome.status() + outcome.error();
    }
  }

  private record Ears(Set<EventPattern> eventPatterns) implements AgentCapability {

    static Ears of(JsonNode args) {
      Set<EventPattern> patterns = new HashSet<>();
      args.path("patterns")
          .forEach(one ->
              patterns.add(
                  EventPattern.of(
                      Scope.parse(one.path("scope").asText()), one.path("keys").asText())));
      return new Ears(patterns);
    }

    @Override
    public Map<String, ActionExecutor> actions() {
      return Map.of();
    }
  }

  private final class Work implements AgentCapability {
    @Override
    public Map<String, ActionExecutor> actions() {
      return Map.of("work", this::work);
    }

    private JsonNode work(ActionContext context, JsonNode params) throws InterruptedException {
      begun.add(context.idempotencyKey());
      CountDownLatch latch = held.get(params.asText());
      if (latch != null) {
        latch.await();
      }
      context.emit("worked", params);
      return params;
    }
  }
}
