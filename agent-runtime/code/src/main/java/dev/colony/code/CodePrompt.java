package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.code.Functions.TypeText;
import dev.colony.code.Sandbox.CodeSettings;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.library.policy.ActionTools;
import dev.colony.library.policy.ModelPlanner;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.PlannerArgs.PlannerCalls;
import dev.colony.library.policy.PlannerArgs.PlannerModel;
import dev.colony.library.policy.PlanningContext;
import dev.colony.library.policy.PlanningPrompt;
import dev.colony.library.policy.PromptLayers;
import dev.colony.library.policy.PromptLayers.Placed;
import dev.colony.library.policy.PromptLayers.PromptLayer.Expression;
import dev.colony.library.policy.PromptSection;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the model is shown: the sections of the layers, and at the place of the cells' layer the
 * cells so far as messages.
 */
final class CodePrompt {

  private static final String RULES =
      """
      ## How you work
      You work by writing small programs in JavaScript, called cells, one in each reply. Reply with \
      one cell between ```js and ```, or call the tool run_cell where you have it. You are then shown \
      what the cell has printed and what went wrong in it, and write the next one.
      - print(...) shows you values. show(value, from, to) shows a part of a large one by characters. \
      Of what a cell prints you see the first %d characters.
      - Variables that you declare at the top level stay for later cells, if their values are JSON of \
      at most %d bytes. Functions do not. You see only how values begin: print what you have to know.%s
      - Your actions are the functions below. Each takes one object and gives its result, at once: \
      await is allowed and not needed. It throws an ActionError with a message and a status where the \
      action fails or is refused. A cell makes at most %d calls.
      - There are no files, no network, no timers and no imports. The clock and random numbers of a \
      cell are given ones. A cell that computes for longer than %s is stopped.
      - complete(result) in a cell ends the run with that result once the goals are reached.
      To end without a cell reply with one JSON object and nothing else, or call the tool of that name:
      {"end": "complete", "result": ...} when the goals are reached; in it the text "$name" stands for \
      the value of the variable name, and a text that begins with $ is written with $$;
      {"end": "idle"} when nothing is to be done until something happens;
      {"end": "fail", "reason": ...} when the goals cannot be reached.\
      """;

  private final PromptLayers layers;
  private final PlannerModel model;
  private final ModelPlanner prompts;
  private final CodeSettings settings;
  private final PolicyContext context;

  CodePrompt(PolicyContext context, PromptLayers layers, PlannerArgs args, CodeSettings settings) {
    this.context = context;
    this.layers = layers;
    this.model = args.asked(PlannerCalls::plan);
    this.settings = settings;
    this.prompts = new ModelPlanner(context, layers, args);
  }

  /** How many tokens the cells so far may take. */
  int cellTokens() {
    return layers.layers().stream()
        .filter(CodePrompt::ofCells)
        .flatMap(one -> one.tokens().stream())
        .findFirst()
        .orElse(context.settings().prompt().of(CodeLayers.CELLS_LAYER));
  }

  /** How many they take in a prompt. */
  int cellTokens(PlanningPrompt prompt) {
    Set<String> cells = cells();
    return prompt.sections().stream()
        .filter(one -> cells.contains(one.name()))
        .mapToInt(PromptSection::sizeTokens)
        .sum();
  }

  private Set<String> cells() {
    return layers.layers().stream()
        .filter(CodePrompt::ofCells)
        .map(Placed::name)
        .collect(Collectors.toSet());
  }

  private static boolean ofCells(Placed one) {
    return one.layer().type().equals(CodeLayers.CELLS_TYPE);
  }

  /**
   * The sections, as hooks leave them.
   *
   * @param variables a line for each that the cells do not show
   * @param kept names of the variables that outlive the run
   * @param tools that the model may call
   */
  PlanningPrompt prompt(
      PlanningContext planning,
      Transcript transcript,
      List<String> variables,
      Set<String> kept,
      List<Tool> tools)
      throws Exception {
    ObjectNode own = planning.own().deepCopy();
    own.put(CodeLayers.RULES, rules(planning.result(), kept));
    own.put(CodeLayers.CELLS, transcript.text());
    own.put(CodeLayers.CELLS_CUT, transcript.cut());
    own.put(CodeLayers.VARIABLES, bullets(variables));
    return prompts
        .prompt(planning.with(next -> next.own = own))
        .withActions(List.of(ActionTools.section(tools)));
  }

  private String rules(JsonNode result, Set<String> kept) {
    String outliving =
        kept.isEmpty()
            ? ""
            : " Of these, "
                + kept.stream().sorted().collect(Collectors.joining(", "))
                + " stay for later runs too.";
    String rules =
        RULES.formatted(
            Cell.OUTPUT_CHARS,
            Cell.VARIABLE_BYTES,
            outliving,
            Cell.MOST_CALLS,
            settings.cpu().toString().substring(2).toLowerCase(Locale.ROOT));
    return result.isEmpty() ? rules : rules + "\n\nThe result is " + TypeText.of(result) + ".";
  }

  /** The call that shows it. */
  ModelCall call(PlanningPrompt prompt, Transcript transcript, ReplyForm form) {
    Set<String> cells = cells();
    List<String> opening = new ArrayList<>();
    List<String> now = new ArrayList<>();
    boolean shown = false;
    for (PromptSection one : prompt.sections()) {
      if (one.part() == Part.TOOLS || one.part() == Part.CONSTANT || one.text().isEmpty()) {
        continue;
      }
      if (cells.contains(one.name())) {
        shown = true;
      } else {
        (shown ? now : opening).add(one.text());
      }
    }
    String before = String.join("\n\n", opening);
    List<ChatMessage> messages =
        shown
            ? transcript.messages(before, String.join("\n\n", now))
            : List.of(new ChatMessage.User(before));
    return new ModelCall(
        prompt.system(), prompt.pages(), messages, form, model.sampling(), model.choice());
  }

  /** Lines under a heading; nothing for none. */
  static String section(String heading, List<String> lines) {
    return lines.isEmpty() ? "" : "## " + heading + "\n" + bullets(lines);
  }

  private static String bullets(List<String> lines) {
    return lines.stream().map(line -> "- " + line).collect(Collectors.joining("\n"));
  }

  /**
   * The policy whose model writes code, and the layers of prompts that ask for cells. What they
   * show stands in the context's own entries, where {@link CodePrompt} puts it.
   */
  public static final class CodeLayers implements TypeProvider {

    static final String RULES = "codeRules";
    static final String CELLS = "codeCells";

    /** Whether some of the cells are not shown any more. */
    static final String CELLS_CUT = "codeCellsCut";

    static final String VARIABLES = "codeVariables";

    static final String ASK = "Reply with the next cell, or with an end.";

    /** Where the cells so far stand: as messages, and in what is kept of a prompt as text. */
    static final String CELLS_TYPE = "prompt.code-cells";

    /** The layer of {@link #CELLS_TYPE}, whose budget bounds what is remembered of the cells. */
    static final String CELLS_LAYER = "cells";

    /**
     * The stock layers, with rules, functions, cells and variables in place of actions' and plans'.
     */
    static final PromptLayers STOCK =
        PromptLayers.STOCK
            .replace("rules", Blueprint.of("prompt.code-rules"))
            .before("goals", "functions", Blueprint.of("prompt.code-functions"))
            .before("history", CELLS_LAYER, Blueprint.of(CELLS_TYPE))
            .without("history")
            .without("news")
            .replace("variables", Blueprint.of("prompt.code-variables"))
            .replace("ask", Blueprint.of("prompt.code-ask"));

    @Override
    public void register(Types types) {
      types.add(CodeGenerationActionPolicy.class);
      types.add(ToolLibraryCapability.class);
      types.add(RulesLayer.class);
      types.add(FunctionsLayer.class);
      types.add(CellsLayer.class);
      types.add(VariablesLayer.class);
      types.add(AskLayer.class);
    }

    @Registered(value = "prompt.code-rules", summary = "How cells are written and runs are ended.")
    static final class RulesLayer extends Expression {
      RulesLayer() {
        super(Part.CONSTANT, (context, room) -> room.whole(context.own().path(RULES).asText("")));
      }
    }

    @Registered(value = "prompt.code-functions", summary = "The actions as functions of cells.")
    static final class FunctionsLayer extends Expression {
      FunctionsLayer() {
        super(Part.CONSTANT, FunctionsLayer::functions);
      }

      private static List<PromptSection> functions(PlanningContext context, SectionRoom room) {
        Functions functions = Functions.of(context.groups());
        String called = functions.groups().isEmpty() ? "None.\n" : functions.text(room.tokens());
        return room.whole("## Functions\n```ts\n" + called + "```");
      }
    }

    @Registered(value = CELLS_TYPE, summary = "The cells so far, and what was shown of each.")
    static final class CellsLayer extends Expression {
      CellsLayer() {
        super(Part.GROWING, CellsLayer::cells);
      }

      private static List<PromptSection> cells(PlanningContext context, SectionRoom room) {
        String cells = context.own().path(CELLS).asText("");
        boolean cut = context.own().path(CELLS_CUT).asBoolean();
        return cells.isEmpty()
            ? List.of()
            : room.whole(cells).stream()
                .map(one ->
                    new PromptSection(
                        one.name(),
                        one.part(),
                        one.text(),
                        one.sizeTokens(),
                        one.budgetTokens(),
                        cut))
                .toList();
      }
    }

    @Registered(
        value = "prompt.code-variables",
        summary = "Variables that the cells so far do not show.")
    static final class VariablesLayer extends Expression {
      VariablesLayer() {
        super(
            Part.CHANGING,
            (context, room) ->
                room.text("## Further variables", context.own().path(VARIABLES).asText("")));
      }
    }

    @Registered(value = "prompt.code-ask", summary = "Asks for the next cell.")
    static final class AskLayer extends Expression {
      AskLayer() {
        super(Part.CHANGING, (context, room) -> room.whole(ASK));
      }
    }
  }
}
