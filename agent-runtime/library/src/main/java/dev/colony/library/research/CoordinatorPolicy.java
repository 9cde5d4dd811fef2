package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;

/** Routes the question, consults the analysts, composes the answer: an iteration each. */
@Registered(CoordinatorPolicy.TYPE)
final class CoordinatorPolicy extends BaseActionPolicy {

  static final String TYPE = "research.coordinator";

  private static final String ROUTE = "route";
  private static final String CONSULT = "consult";

  CoordinatorPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    Question question = Json.read(state.request().input(), Question.class);
    for (ActionCall call : state.history()) {
      if (!call.result().success()) {
        return Decision.Fail.because(call.result().error());
      }
    }
    return switch (state.history().size()) {
      case 0 -> act(ROUTE, CoordinatorCapability.ROUTE, given("text", "$text", "map", "$map"));
      case 1 ->
          act(
              CONSULT,
              CoordinatorCapability.CONSULT,
              given("question", "$text", "routes", result(ROUTE)).put("map", "$map"));
      default ->
          compose(
              question,
              Json.read(
                  dispatcher().resolve(JsonNodeFactory.instance.textNode(result(CONSULT))),
                  Consultation.class));
    };
  }

  private Decision compose(Question question, Consultation consultation) {
    return Decision.Complete.with(Json.of(Answer.composed(agent(), question.text(), consultation)));
  }

  /** References all: a question may begin with a dollar, and routes may be long. */
  private static ObjectNode given(String name, String ref, String other, String otherRef) {
    return JsonNodeFactory.instance.objectNode().put(name, ref).put(other, otherRef);
  }

  private static String result(String actionId) {
    return "$results." + actionId;
  }

  private static Decision act(String id, String key, JsonNode params) {
    return new Decision.Act(Action.of(id, key, params));
  }
}
