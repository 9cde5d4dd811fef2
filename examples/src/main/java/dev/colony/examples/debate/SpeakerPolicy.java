package dev.colony.examples.debate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.blueprint.AgentTypes;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.context.ContextBuilder;
import dev.colony.agent.context.ContextRequest;
import dev.colony.agent.context.ContextRole;
import dev.colony.agent.policy.ActionPolicyExecutionState;
import dev.colony.agent.policy.BaseActionPolicy;
import dev.colony.agent.policy.Decision;
import dev.colony.agent.policy.ErrorContext;
import dev.colony.agent.policy.PolicyContext;
import java.util.List;
import java.util.Optional;

/** Takes one turn on the stage in each run: a worker speaks, a judge rules. */
@Registered(value = "example.speaker", summary = "Takes one turn on a stage in each run.")
public final class SpeakerPolicy extends BaseActionPolicy {

  /** What an agent is on the stage. */
  public enum Part {
    WORKER,
    JUDGE
  }

  /** Who the agent is, and its part. */
  public record Args(String persona, Part part) {}

  private static final String PREAMBLE = "You take part in a debate. Answer with one JSON object.";
  private static final String TURN = "turn";
  private static final int MAX_TOKENS = 300;

  private final Args args;
  private final ContextBuilder prompts;

  public SpeakerPolicy(PolicyContext context, Args args) {
    super(context);
    this.args = args;
    this.prompts = ContextBuilder.of(role(args.part()), AgentTypes.installed());
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) throws Exception {
    Optional<ActionResult> turn = state.result(TURN);
    if (turn.isEmpty()) {
      return new Decision.Act(
          switch (args.part()) {
            case WORKER -> Action.of(TURN, "example.stage.speak", ask("line", "thought"));
            case JUDGE -> Action.of(TURN, "example.stage.rule", ask("verdict"));
          });
    }
    return turn.get().success()
        ? Decision.Complete.with(turn.get().output())
        : new Decision.Fail(ErrorContext.of("action", turn.get().error()));
  }

  private JsonNode ask(String... fields) throws Exception {
    StageCapability stage =
        agent()
            .capability(StageCapability.class)
            .orElseThrow(() -> AgentException.refused("a speaker needs a stage"));
    String prompt =
        prompts
            .build(
                ContextRequest.of(agent().id().name(), args.persona(), stage.project())
                    .outputFormat("One JSON object with: " + String.join(", ", fields) + "."))
            .text();
    String reply =
        agent()
            .inference()
            .infer(
                TURN,
                new ModelCall(PREAMBLE, List.of(), prompt, Optional.of(schema(fields)), MAX_TOKENS))
            .text();
    return Answers.object(reply);
  }

  private static JsonNode schema(String... fields) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    var required = schema.putArray("required");
    for (String field : fields) {
      properties.putObject(field).put("type", "string");
      required.add(field);
    }
    return schema.put("additionalProperties", false);
  }

  private static ContextRole role(Part part) {
    return switch (part) {
      case WORKER -> ContextRole.worker();
      case JUDGE -> ContextRole.judge();
    };
  }
}
