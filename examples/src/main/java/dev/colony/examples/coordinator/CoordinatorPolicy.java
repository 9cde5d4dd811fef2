package dev.colony.examples.coordinator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.library.policy.EventDrivenActionPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Assigns, waits for events until every worker has reported, synthesizes, sends them home. */
@Registered(value = "example.coordinator", summary = "Has texts counted and adds up the counts.")
public final class CoordinatorPolicy extends EventDrivenActionPolicy {

  private static final String ASSIGN = "assign";
  private static final String SYNTHESIZE = "synthesize";
  private static final String FINALIZE = "finalize";
  private static final String REPORTED = "reported";

  private static final ActionPolicyIO IO =
      ActionPolicyIO.builder()
          .input("texts", JsonNode.class)
          .output("words", JsonNode.class)
          .build();

  public CoordinatorPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  public ActionPolicyIO io() {
    return IO;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    note(state);
    Optional<ActionResult> failed =
        state.history().stream()
            .map(call -> call.result())
            .filter(result -> !result.success())
            .findFirst();
    if (failed.isPresent()) {
      return new Decision.Fail(ErrorContext.of("action", failed.get().error()));
    }
    if (state.result(ASSIGN).isEmpty()) {
      return act(ASSIGN, "example.texts.assign", Map.of("texts", "$texts"));
    }
    if (state.custom().path(REPORTED).size() < state.request().input().path("texts").size()) {
      return new Decision.Idle();
    }
    if (state.result(SYNTHESIZE).isEmpty()) {
      return act(SYNTHESIZE, "example.texts.synthesize", Map.of());
    }
    return state.result(FINALIZE).isEmpty() ? act(FINALIZE, "finalize", Map.of()) : complete(state);
  }

  /** Which texts have been reported on; a report that comes twice counts once. */
  private static void note(ActionPolicyExecutionState state) {
    TreeSet<Integer> numbers = new TreeSet<>();
    state.custom().path(REPORTED).forEach(number -> numbers.add(number.asInt()));
    for (ObjectNode contexts : state.received().contexts()) {
      for (String key : List.of("worker_result", "worker_failed")) {
        if (contexts.has(key)) {
          numbers.add(contexts.path(key).path("number").asInt());
        }
      }
    }
    ArrayNode reported = state.custom().putArray(REPORTED);
    numbers.forEach(reported::add);
  }

  /** The counts, and the two streams as a planner would be shown them. */
  private Decision complete(ActionPolicyExecutionState state) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.set("words", state.result(SYNTHESIZE).orElseThrow().output());
    ArrayNode sections = result.putArray("sections");
    context().streams().forEach(stream -> sections.add(stream.render(state.entries(stream))));
    return Decision.Complete.with(result);
  }

  private static Decision act(String id, String key, Map<String, String> params) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    params.forEach(json::put);
    return new Decision.Act(Action.of(id, key, json));
  }
}
