package dev.colony.library.policy;

import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.JoinPoint;
import dev.colony.agent.author.PolicyContext;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.policy.ModelQuestion.Answer;
import dev.colony.library.policy.ModelQuestion.Reading;
import dev.colony.library.policy.ProposalReading.Read;
import dev.colony.library.prompt.PlanningContext;
import dev.colony.library.prompt.PlanningFormat;
import dev.colony.library.prompt.PlanningPrompt;
import dev.colony.library.prompt.PromptLayers;
import dev.colony.library.prompt.PromptSection;
import dev.colony.library.prompt.PromptSection.Part;
import dev.colony.library.prompt.SectionRoom;
import java.util.Optional;

/**
 * Asks the model what is done next: one call, and one more where there are many actions and the
 * model has to be shown what the chosen one takes.
 */
public final class ModelPlanner implements Planner {

  /** Where a prompt is made; hooks after it see its sections, those around may replace it. */
  static final JoinPoint FORMAT = new JoinPoint("PlanningFormat.format", PlanningPrompt.class);

  private final PolicyContext context;
  private final PlannerModel model;
  private final PlanningFormat format;

  /**
   * A planner of one agent.
   *
   * @param layers of its prompts
   * @throws dev.colony.agent.AgentException if one of them cannot be made
   */
  public ModelPlanner(PolicyContext context, PromptLayers layers, PlannerModel model) {
    this.context = context;
    this.model = model;
    this.format = PlanningFormat.of(layers, context.settings(), AgentTypes.installed());
  }

  /** The prompt of a context, as hooks leave it. */
  public PlanningPrompt prompt(PlanningContext planning) throws Exception {
    return context
        .agent()
        .hooks()
        .call(FORMAT, context.agent(), format, () -> format.format(planning), planning);
  }

  @Override
  public Proposal plan(PlanningContext planning) throws Exception {
    PlanningPrompt prompt = prompt(planning);
    ProposalReading reading =
        new ProposalReading(
            prompt.actions(),
            planning.result(),
            context.dispatcher()::resolve,
            PlannerNotes.number(planning.nextActionId()));
    Answer<Read> answer = ask("plan", prompt, reading, Optional.empty());
    if (answer.reading() instanceof Reading.Good<Read> good
        && good.value() instanceof Read.Chosen chosen) {
      Answer<Read> filled =
          ask("parameters", shown(prompt, chosen.action()), reading, Optional.of(chosen.action()));
      return proposal(filled, answer.reasoning());
    }
    return proposal(answer, answer.reasoning());
  }

  private Answer<Read> ask(
      String name,
      PlanningPrompt prompt,
      ProposalReading reading,
      Optional<ActionDescription> shown) {
    return ModelQuestion.calls(prompt.actions().tools(), calls -> reading.read(calls, shown))
        .ask(context.agent(), name, prompt, model, context.settings());
  }

  private PlanningPrompt shown(PlanningPrompt prompt, ActionDescription chosen) {
    PromptSection section =
        new SectionRoom(
                "chosen",
                Part.CHANGING,
                context.settings().prompt().actions(),
                context.settings().previewChars())
            .text(
                "## Chosen action",
                "- `%s` %s\nIts parameters: %s\nCall `take` again, with them."
                    .formatted(
                        prompt.actions().name(chosen.key()), chosen.summary(), chosen.parameters()))
            .getFirst();
    return prompt.and(section);
  }

  private static Proposal proposal(Answer<Read> answer, String reasoning) {
    return switch (answer.reading()) {
      case Reading.Wrong<Read> wrong -> new Proposal.Unusable(wrong.why());
      case Reading.Good<Read> good ->
          switch (good.value()) {
            case Read.Steps steps -> new Proposal.Steps(reasoning, steps.actions(), steps.end());
            case Read.Chosen unfilled ->
                new Proposal.Unusable("it gives no parameters for " + unfilled.action().key());
          };
    };
  }
}
