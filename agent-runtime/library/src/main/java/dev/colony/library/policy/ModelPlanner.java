package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.JoinPoint;
import dev.colony.agent.author.PolicySettings;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.policy.MinimalActionPolicy.PlannerNotes;
import dev.colony.library.policy.ModelQuestion.Answer;
import dev.colony.library.policy.ModelQuestion.Reading;
import dev.colony.library.policy.PlannerArgs.PlannerCalls;
import dev.colony.library.policy.PlannerArgs.PlannerModel;
import dev.colony.library.policy.PlanningActionPolicy.Planner;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import dev.colony.library.policy.ProposalReading.Read;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Asks the model what is done next: one call, one more where there are many actions and the model
 * has to be shown what the chosen one takes, and one before where there are so many that the model
 * asks for those of some groups first.
 */
public final class ModelPlanner implements Planner {

  /** Where a prompt is made; hooks after it see its sections, those around may replace it. */
  static final JoinPoint FORMAT = new JoinPoint("PlanningFormat.format", PlanningPrompt.class);

  private final PolicyContext context;
  private final PlannerArgs args;
  private final PlanningFormat format;

  /**
   * A planner of one agent.
   *
   * @param layers of its prompts
   * @param args how its calls are made
   * @throws dev.colony.agent.AgentException if one of them cannot be made
   */
  public ModelPlanner(PolicyContext context, PromptLayers layers, PlannerArgs args) {
    this.context = context;
    this.args = args;
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
    boolean grouped = prompt.actions().grouped();
    Answer<Read> answer =
        ask(
            "plan",
            prompt,
            args.asked(grouped ? PlannerCalls::group : PlannerCalls::plan),
            reading,
            Optional.empty());
    if (answer.reading() instanceof Reading.Good<Read> good
        && good.value() instanceof Read.Asked groups) {
      prompt = prompt.and(described(prompt, groups.groups(), planning.sought()));
      answer = ask("actions", prompt, args.asked(PlannerCalls::plan), reading, Optional.empty());
    }
    if (answer.reading() instanceof Reading.Good<Read> good
        && good.value() instanceof Read.Chosen chosen) {
      Answer<Read> filled =
          ask(
              "parameters",
              shown(prompt, chosen, planning),
              args.asked(PlannerCalls::parameters),
              reading,
              Optional.of(chosen.action()));
      return proposal(filled, answer.reasoning(), prompt.actions());
    }
    return proposal(answer, answer.reasoning(), prompt.actions());
  }

  private Answer<Read> ask(
      String name,
      PlanningPrompt prompt,
      PlannerModel model,
      ProposalReading reading,
      Optional<ActionDescription> shown) {
    return ModelQuestion.calls(prompt.actions().tools(), calls -> reading.read(calls, shown))
        .ask(context.agent(), name, prompt, model, args.repair(), context.settings());
  }

  private PromptSection described(PlanningPrompt prompt, Set<String> groups, String sought) {
    int tokens = context.settings().prompt().actions();
    return new SectionRoom("groups", Part.CHANGING, tokens, PolicySettings.PREVIEW_CHARS)
        .text(
            "## The actions that you asked for", prompt.actions().described(groups, sought, tokens))
        .getFirst();
  }

  private PlanningPrompt shown(
      PlanningPrompt prompt, Read.Chosen choice, PlanningContext planning) {
    ActionDescription chosen = choice.action();
    PromptSection section =
        new SectionRoom(
                "chosen",
                Part.CHANGING,
                context.settings().prompt().actions(),
                PolicySettings.PREVIEW_CHARS)
            .text(
                "## Chosen action",
                "- `%s` %s\nIts parameters: %s\n%sCall `take` again, with them."
                    .formatted(
                        prompt.actions().name(chosen.key()),
                        planning.names().in(chosen.summary()),
                        chosen.parameters(),
                        choice
                            .wrong()
                            .map(why -> "What you gave does not fit: " + why + "\n")
                            .orElse("")))
            .getFirst();
    return prompt.and(section);
  }

  private static Proposal proposal(Answer<Read> answer, String reasoning, ActionTools named) {
    return switch (answer.reading()) {
      case Reading.Wrong<Read> wrong -> new Proposal.Unusable(wrong.why());
      case Reading.Good<Read> good ->
          switch (good.value()) {
            case Read.Steps steps -> new Proposal.Steps(reasoning, steps.actions(), steps.end());
            case Read.Asked groups ->
                new Proposal.Unusable("the actions that it asks for were shown: choose one");
            case Read.Chosen unfilled ->
                new Proposal.Unusable(
                    unfilled
                        .wrong()
                        .orElseGet(() ->
                            "it gives no parameters for " + named.name(unfilled.action().key())));
          };
    };
  }

  /** What a planner proposes to do next. */
  public sealed interface Proposal {

    /**
     * Actions in their order, and what follows when all of them have succeeded; at least one action
     * or an end.
     *
     * @param reasoning why, as the model said it; empty if it said nothing
     * @param end empty where the planner is to be asked again
     */
    record Steps(String reasoning, List<Step> actions, Optional<End> end) implements Proposal {

      public Steps {
        actions = List.copyOf(actions);
        if (actions.isEmpty() && end.isEmpty()) {
          throw new IllegalArgumentException("a proposal has at least one action or an end");
        }
      }
    }

    /**
     * Nothing that can be done.
     *
     * @param error one line for the model
     */
    record Unusable(String error) implements Proposal {}

    /**
     * An action.
     *
     * @param key as its description names it
     * @param parameters may hold references
     */
    record Step(String key, ObjectNode parameters) {}

    /** How a run or a turn ends. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
      @JsonSubTypes.Type(value = End.Complete.class, name = "complete"),
      @JsonSubTypes.Type(value = End.Idle.class, name = "idle"),
      @JsonSubTypes.Type(value = End.GiveUp.class, name = "fail")
    })
    sealed interface End {

      /**
       * The goals are reached.
       *
       * @param result may hold references, as the exports may
       * @param exports for other agents, by name
       * @param learned what is worth remembering, a sentence each
       */
      record Complete(JsonNode result, Map<String, JsonNode> exports, List<String> learned)
          implements End {

        public Complete {
          exports = Map.copyOf(exports);
          learned = List.copyOf(learned);
        }
      }

      record Idle() implements End {}

      /** The goals cannot be reached. */
      record GiveUp(String reason) implements End {}
    }
  }
}
