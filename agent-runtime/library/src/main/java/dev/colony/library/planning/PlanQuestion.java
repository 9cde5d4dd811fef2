package dev.colony.library.planning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.PolicySettings;
import dev.colony.library.plan.PlanDraft;
import dev.colony.library.plan.PlanRules;
import dev.colony.library.plan.PlanSettings;
import dev.colony.library.plan.PlanState;
import dev.colony.library.plan.PlanStep;
import dev.colony.library.policy.ModelPlanner;
import dev.colony.library.policy.ModelQuestion;
import dev.colony.library.policy.ModelQuestion.Answer;
import dev.colony.library.policy.ModelQuestion.Reading;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.PlannerCalls;
import dev.colony.library.policy.PlannerModel;
import dev.colony.library.prompt.PlanningContext;
import dev.colony.library.prompt.PlanningPrompt;
import dev.colony.library.prompt.PromptLayers;
import dev.colony.library.prompt.PromptSection;
import dev.colony.library.prompt.PromptSection.Part;
import dev.colony.library.prompt.SectionRoom;
import dev.colony.schema.JsonValues;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Asks the model about a plan: one call, and one more where there are many actions and the model
 * wants to see what some of them take.
 */
final class PlanQuestion {

  private static final String JUDGE =
      """
      {"type": "object", "properties": {"holds": {"type": "boolean"},
       "reason": {"type": "string"}}, "required": ["holds", "reason"],
       "additionalProperties": false}
      """;

  /**
   * What is asked.
   *
   * @param text the question
   * @param allowed tools that answer it
   * @param tree the plan so far; empty where there is none
   */
  record Asked(String text, Set<String> allowed, List<String> tree) {}

  private final PolicyContext context;
  private final PlanRules rules;
  private final PlannerArgs args;
  private final PlanSettings settings;
  private final ModelPlanner prompts;

  PlanQuestion(PolicyContext context, PlannerArgs args, PlanRules rules, PlanSettings settings) {
    this.context = context;
    this.settings = settings;
    this.rules = rules;
    this.args = args;
    this.prompts =
        new ModelPlanner(
            context, args.prompt().map(PromptLayers::new).orElse(PlanLayers.STOCK), args);
  }

  /**
   * What the model answers.
   *
   * @param problems why a draft that it gives cannot be carried out
   * @throws AgentException if the model cannot be asked
   */
  Answer<PlanReply> ask(
      PlanningContext planning, Asked asked, Function<PlanDraft, List<String>> problems)
      throws Exception {
    PolicySettings policy = context.settings();
    boolean many = PlanTools.many(planning.groups(), policy, settings);
    String sought = planning.sought() + " " + asked.text() + " " + String.join(" ", asked.tree());
    PlanTools tools = PlanTools.of(planning.groups(), many, settings);
    PlanningPrompt prompt =
        prompt(
            PlanLayers.shown(planning, PlanTools.rules(rules), asked.tree(), asked.text()),
            tools,
            sought);
    Set<String> first = new HashSet<>(asked.allowed());
    if (many) {
      first.add(PlanTools.SHOW);
    }
    Answer<PlanReply> answer =
        ask(
            "plan",
            prompt,
            args.asked(many ? PlannerCalls::group : PlannerCalls::plan),
            new PlanReading(tools, first, settings, problems));
    if (answer.reading() instanceof Reading.Good<PlanReply> good
        && good.value() instanceof PlanReply.Show show) {
      int tokens = policy.prompt().actions();
      PromptSection shown =
          new SectionRoom("chosen", Part.CHANGING, tokens, policy.previewChars())
              .text("## The actions that you asked for", tools.shown(show.groups(), sought, tokens))
              .getFirst();
      return ask(
          "parameters",
          prompt.and(shown),
          args.asked(PlannerCalls::parameters),
          new PlanReading(tools, asked.allowed(), settings, problems));
    }
    return answer;
  }

  /**
   * The question what is to be done about a level.
   *
   * @param hotTokens of cached pages that the actions not done yet read
   * @param overlaps with other agents, a line each
   */
  static String text(PlanStep.Revise revise, long hotTokens, List<String> overlaps) {
    StringBuilder text =
        new StringBuilder(
            revise.level().equals(PlanState.ROOT)
                ? "Your plan has to be looked at:"
                : "The part `%s` of your plan has to be looked at:".formatted(revise.level()));
    revise.triggers().forEach(one -> text.append("\n- ").append(one));
    if (hotTokens > 0) {
      text.append(
          "\nThe pages that the actions not done yet read are cached: a plan that leaves them"
              + " computes %,d tokens anew.".formatted(hotTokens));
    }
    overlaps.forEach(line -> text.append('\n').append(line));
    return text.append("\nWhat do you do about it?").toString();
  }

  private Answer<PlanReply> ask(
      String name, PlanningPrompt prompt, PlannerModel model, PlanReading reading) {
    return ModelQuestion.calls(reading.tools().tools(), reading::read)
        .ask(context.agent(), name, prompt, model, args.repair(), context.settings());
  }

  /** The prompt of the layers, with the tools and actions of plans in place of actions as tools. */
  private PlanningPrompt prompt(PlanningContext planning, PlanTools tools, String sought)
      throws Exception {
    PlanningPrompt made = prompts.prompt(planning.toBuilder().groups(List.of()).build());
    List<PromptSection> sections = new ArrayList<>();
    made.sections().stream()
        .filter(one -> !one.name().equals("tools") && !one.name().equals("actions"))
        .forEach(sections::add);
    sections.addAll(tools.sections(context.settings(), sought));
    return new PlanningPrompt(made.pages(), sections, made.actions());
  }

  /**
   * Whether a result is what was asked for: empty if it is, otherwise why not, on one line.
   *
   * @throws AgentException if the model cannot be asked
   */
  Optional<String> refused(PlanningContext planning, String criteria, JsonNode result)
      throws Exception {
    PlanningPrompt prompt =
        prompt(
            PlanLayers.shown(
                planning,
                "## How you work\nYou judge whether a result is what was asked for. You are strict"
                    + " and say what is missing.",
                List.of(),
                "This has to be true: %s\nThis is the result: %s\nDoes it hold, and if not, why?"
                    .formatted(criteria, result)),
            PlanTools.of(List.of(), false, settings),
            "");
    Answer<Optional<String>> answer =
        ModelQuestion.json(JsonValues.parse(JUDGE), PlanQuestion::judged)
            .ask(
                context.agent(),
                "judge",
                prompt,
                args.asked(PlannerCalls::completion),
                args.repair(),
                context.settings());
    return switch (answer.reading()) {
      case Reading.Good<Optional<String>> good -> good.value();
      case Reading.Wrong<Optional<String>> wrong ->
          Optional.of("the result could not be judged: " + wrong.why());
    };
  }

  private static Reading<Optional<String>> judged(String text) {
    ObjectNode json;
    try {
      json =
          JsonValues.parse(text) instanceof ObjectNode object
              ? object
              : JsonNodeFactory.instance.objectNode();
    } catch (JsonProcessingException broken) {
      return new Reading.Wrong<>("it is no JSON");
    }
    if (!json.path("holds").isBoolean()) {
      return new Reading.Wrong<>("it does not say whether it holds");
    }
    return new Reading.Good<>(
        json.path("holds").booleanValue()
            ? Optional.empty()
            : Optional.of(json.path("reason").asText("it does not hold")));
  }
}
