package dev.colony.examples.debate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.library.context.StageCapability;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes one turn on the stage in each run. The model is asked once for all the fields of the turn;
 * then each of them is an action: what is thought is kept, what is said is heard by all.
 */
@Registered(value = "example.speaker", summary = "Takes one turn on a stage in each run.")
public final class SpeakerPolicy extends BaseActionPolicy {

  /**
   * A turn.
   *
   * @param actions of the stage, in their order: {@code think}, {@code speak}, {@code rule}; the
   *     run's result is what the last one said
   */
  public record Args(List<String> actions) {

    public Args {
      if (actions.isEmpty() || !MEANING.keySet().containsAll(actions)) {
        throw new IllegalArgumentException(
            "a turn is made of " + MEANING.keySet() + ", not " + actions);
      }
    }

    static final Args WORKER = new Args(List.of("think", "speak"));
    static final Args JUDGE = new Args(List.of("rule"));
  }

  /** What the fields of a turn are, for the model. */
  private static final Map<String, String> MEANING =
      Map.of(
          "think", "what you think of it and keep to yourself",
          "speak", "what you say to all: one new point",
          "rule", "who has won, and why");

  private static final String PREAMBLE = "You take part in a debate. Answer with one JSON object.";
  private static final String TURN = "turn";
  private static final int MAX_TOKENS = 300;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Args args;

  public SpeakerPolicy(PolicyContext context, Args args) {
    super(context);
    this.args = args;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) throws Exception {
    if (!state.custom().has(TURN)) {
      state.custom().set(TURN, ask());
    }
    JsonNode turn = state.custom().path(TURN);
    for (String action : args.actions()) {
      Optional<ActionResult> done = state.result(action);
      if (done.isEmpty()) {
        return new Decision.Act(
            Action.of(
                action,
                "stage." + action,
                JsonNodeFactory.instance.objectNode().put("text", turn.path(action).asText())));
      }
      if (!done.get().success()) {
        return new Decision.Fail(ErrorContext.of("action", done.get().error()));
      }
    }
    return Decision.Complete.with(turn.path(args.actions().getLast()));
  }

  private JsonNode ask() {
    StageCapability stage =
        agent()
            .capability(StageCapability.class)
            .orElseThrow(() -> AgentException.refused("a speaker needs a stage"));
    String prompt = stage.prompt(stage.request()).text();
    String reply =
        agent()
            .inference()
            .infer(
                TURN, new ModelCall(PREAMBLE, List.of(), prompt, Optional.of(schema()), MAX_TOKENS))
            .text();
    try {
      return JSON.readTree(reply);
    } catch (JsonProcessingException bad) {
      throw new AgentException("the model's answer is no JSON", bad, true);
    }
  }

  private JsonNode schema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    var required = schema.putArray("required");
    for (String action : args.actions()) {
      properties.putObject(action).put("type", "string").put("description", MEANING.get(action));
      required.add(action);
    }
    return schema.put("additionalProperties", false);
  }
}
