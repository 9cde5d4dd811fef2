package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JoinPoint;
import dev.colony.agent.author.PolicySettings;
import dev.colony.inference.InferenceException;
import dev.colony.library.prompt.PlanningContext;
import dev.colony.library.prompt.PlanningFormat;
import dev.colony.library.prompt.PlanningPrompt;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * Asks the model for one decision. A phase is one call; a decision is one phase, or two where there
 * are many actions. The gateway holds answers against the schema and has the model mend them, see
 * {@link dev.colony.inference.InferenceGateway#complete}.
 */
final class ModelPlanner {

  /** Where a prompt is made; hooks after it see its sections, those around may replace it. */
  static final JoinPoint FORMAT = new JoinPoint("PlanningFormat.format", PlanningPrompt.class);

  private final Agent agent;
  private final PolicySettings settings;
  private final PlanningFormat format;

  ModelPlanner(Agent agent, PolicySettings settings) {
    this.agent = agent;
    this.settings = settings;
    this.format = new PlanningFormat(settings.prompt(), settings.previewChars());
  }

  /**
   * @param result JSON schema of what the run gives
   * @throws AgentException if the model cannot be asked
   */
  PlannerReply decide(PlanningContext context, JsonNode result) throws Exception {
    int actions = context.groups().stream().mapToInt(group -> group.actions().size()).sum();
    if (actions <= settings.twoPhaseAbove()) {
      PlanningPrompt prompt = prompt(context, () -> format.decide(context));
      AnswerReading reading = new AnswerReading(prompt.offered());
      JsonNode schema = AnswerForm.decision(prompt.offered(), result);
      return ask("plan", prompt, schema, reading::decision);
    }
    PlanningPrompt prompt = prompt(context, () -> format.choose(context));
    AnswerReading reading = new AnswerReading(prompt.offered());
    JsonNode schema = AnswerForm.choice(prompt.offered(), result);
    PlannerReply choice = ask("plan", prompt, schema, reading::choice);
    return choice instanceof PlannerReply.Take take ? fill(context, reading, take.key()) : choice;
  }

  private PlannerReply fill(PlanningContext context, AnswerReading reading, String key)
      throws Exception {
    ActionDescription chosen =
        reading.offered().stream().filter(one -> one.key().equals(key)).findFirst().orElseThrow();
    if (chosen.parameters().path("properties").isEmpty()) {
      return reading.parameters(chosen, "{}");
    }
    PlanningPrompt prompt = prompt(context, () -> format.fill(context, chosen));
    JsonNode schema = AnswerForm.parameters(chosen);
    return ask("parameters", prompt, schema, text -> reading.parameters(chosen, text));
  }

  private PlanningPrompt prompt(PlanningContext context, Callable<PlanningPrompt> made)
      throws Exception {
    return agent.hooks().call(FORMAT, agent, format, made, context);
  }

  private PlannerReply ask(
      String name, PlanningPrompt prompt, JsonNode schema, Function<String, PlannerReply> reading) {
    try {
      return reading.apply(infer(name, prompt, schema));
    } catch (AgentException failure) {
      return Optional.ofNullable(failure.getCause())
          .filter(InferenceException.class::isInstance)
          .map(InferenceException.class::cast)
          .filter(call -> call.kind() == InferenceException.Kind.BAD_REPLY)
          .<PlannerReply>map(call -> new PlannerReply.Unusable(call.getMessage()))
          .orElseThrow(() -> failure);
    }
  }

  private String infer(String name, PlanningPrompt prompt, JsonNode schema) {
    ModelCall call =
        new ModelCall(
            prompt.preamble(),
            List.of(),
            prompt.text(),
            Optional.of(schema),
            settings.answerTokens());
    return agent.inference().infer(name, call).text();
  }
}
