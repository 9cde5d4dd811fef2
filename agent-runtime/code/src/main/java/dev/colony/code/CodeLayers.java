package dev.colony.code;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.policy.PlanningContext;
import dev.colony.library.policy.PromptLayer.Expression;
import dev.colony.library.policy.PromptLayers;
import dev.colony.library.policy.PromptSection;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import java.util.List;

/**
 * The policy whose model writes code, and the layers of prompts that ask for cells. What they show
 * stands in the context's own entries, where {@link CodePrompt} puts it.
 */
public final class CodeLayers implements TypeProvider {

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
