package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.plan.PlanMachine.PlanStep;
import dev.colony.library.policy.ModelPlanner;
import dev.colony.library.policy.ModelQuestion;
import dev.colony.library.policy.ModelQuestion.Answer;
import dev.colony.library.policy.ModelQuestion.Reading;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.PlannerArgs.PlannerCalls;
import dev.colony.library.policy.PlannerArgs.PlannerModel;
import dev.colony.library.policy.PlanningContext;
import dev.colony.library.policy.PlanningPrompt;
import dev.colony.library.policy.PromptLayers;
import dev.colony.library.policy.PromptLayers.PromptLayer.Expression;
import dev.colony.library.policy.PromptSection;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Asks the model about a plan: one call, and one more where there are many actions and the model
 * wants to see what some of them take.
 */
final class PlanQuestion {

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
  private final ModelPlanner prompts;

  PlanQuestion(PolicyContext context, PlannerArgs args, PlanRules rules) {
    this.context = context;
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
    boolean many = PlanTools.many(planning.groups(), policy);
    String sought = planning.sought() + " " + asked.text() + " " + String.join(" ", asked.tree());
    PlanTools tools = PlanTools.of(planning.groups(), many);
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
            new PlanReading(tools, first, problems));
    if (answer.reading() instanceof Reading.Good<PlanReply> good
        && good.value() instanceof PlanReply.Show show) {
      int tokens = policy.prompt().actions();
      PromptSection shown =
          new SectionRoom("chosen", Part.CHANGING, tokens, PolicySettings.PREVIEW_CHARS)
              .text("## The actions that you asked for", tools.shown(show.groups(), sought, tokens))
              .getFirst();
      return ask(
          "parameters",
          prompt.and(shown),
          args.asked(PlannerCalls::parameters),
          new PlanReading(tools, asked.allowed(), problems));
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
    return prompts
        .prompt(planning.with(next -> next.groups = List.of()))
        .withActions(tools.sections(context.settings(), sought));
  }

  /** What a model that plans replied. */
  sealed interface PlanReply {

    /** How drafts stand to the plan that there is. */
    enum Mode {
      REVISE,
      ADD,
      BACKTRACK,
      START_ANEW
    }

    /**
     * Actions.
     *
     * @param drafts which would do as well; at least one
     * @param keep names of actions that stay, of a revision
     * @param backTo the name of the first action that is taken back, of a backtracking
     * @param closing what goes with the completion once all is done
     */
    record Plan(Mode mode, List<PlanDraft> drafts, Set<String> keep, String backTo, Closing closing)
        implements PlanReply {
      public Plan {
        drafts = List.copyOf(drafts);
        keep = Set.copyOf(keep);
      }
    }

    /**
     * What a completion says besides its result.
     *
     * @param exports for other agents, by name
     * @param learned what is worth remembering
     */
    record Closing(Map<String, JsonNode> exports, List<String> learned) {
      static final Closing NONE = new Closing(Map.of(), List.of());

      public Closing {
        exports = Map.copyOf(exports);
        learned = List.copyOf(learned);
      }
    }

    record GoOn() implements PlanReply {}

    record Escalate(String question) implements PlanReply {}

    /** The goal of the level is reached. */
    record Complete(JsonNode result, Closing closing) implements PlanReply {}

    record Idle() implements PlanReply {}

    /** The goal of the level cannot be reached. */
    record GiveUp(String reason) implements PlanReply {}

    /** It wants to see what actions take. */
    record Show(Set<String> groups) implements PlanReply {
      public Show {
        groups = Set.copyOf(groups);
      }
    }
  }

  /**
   * The layers of prompts that ask for plans, and the types that go with the policy. What they show
   * stands in the context's own entries, where {@link PlanQuestion} puts it.
   */
  public static final class PlanLayers implements TypeProvider {

    static final String RULES = "planRules";
    static final String TREE = "planTree";
    static final String QUESTION = "planQuestion";

    /**
     * The stock layers, with the rules, the tree and the question of plans in place of actions'.
     */
    public static final PromptLayers STOCK =
        PromptLayers.STOCK
            .replace("rules", Blueprint.of("prompt.plan-rules"))
            .before("left", "plan", Blueprint.of("prompt.plan"))
            .replace("ask", Blueprint.of("prompt.plan-ask"));

    @Override
    public void register(Types types) {
      types.add(CacheAwareActionPolicy.class);
      types.add(WorkingSetCapability.class);
      types.add(RulesLayer.class);
      types.add(TreeLayer.class);
      types.add(AskLayer.class);
    }

    /** The context with what the layers show. */
    static PlanningContext shown(
        PlanningContext context, String rules, List<String> tree, String question) {
      ObjectNode own = context.own().deepCopy();
      own.put(RULES, rules);
      own.put(TREE, String.join("\n", tree));
      own.put(QUESTION, question);
      return context.with(next -> next.own = own);
    }

    private static String text(PlanningContext context, String entry) {
      JsonNode text = context.own().path(entry);
      return text.asText("");
    }

    @Registered(value = "prompt.plan-rules", summary = "How plans are made and refer to values.")
    static final class RulesLayer extends Expression {
      RulesLayer() {
        super(Part.CONSTANT, (context, room) -> room.whole(text(context, RULES)));
      }
    }

    @Registered(value = "prompt.plan", summary = "The plan so far, with what became of it.")
    static final class TreeLayer extends Expression {
      TreeLayer() {
        super(Part.CHANGING, (context, room) -> room.newest("## Your plan", text(context, TREE)));
      }
    }

    @Registered(value = "prompt.plan-ask", summary = "Why the planner is asked.")
    static final class AskLayer extends Expression {
      AskLayer() {
        super(
            Part.CHANGING,
            (context, room) -> room.whole("## Your answer\n" + text(context, QUESTION)));
      }
    }
  }
}
