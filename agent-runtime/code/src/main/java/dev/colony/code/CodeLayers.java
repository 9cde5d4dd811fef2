package dev.colony.code;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.library.prompt.PlanningContext;
import dev.colony.library.prompt.PromptLayer;
import dev.colony.library.prompt.PromptLayers;
import dev.colony.library.prompt.PromptSection;
import dev.colony.library.prompt.PromptSection.Part;
import dev.colony.library.prompt.SectionRoom;
import java.util.List;

/**
 * The layers of prompts that ask for cells. What they show stands in the context's own entries,
 * where {@link CodePrompt} puts it.
 */
final class CodeLayers {

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

  private CodeLayers() {}

  @Registered(value = "prompt.code-rules", summary = "How cells are written and runs are ended.")
  static final class RulesLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CONSTANT;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.whole(context.own().path(RULES).asText(""));
    }
  }

  @Registered(value = "prompt.code-functions", summary = "The actions as functions of cells.")
  static final class FunctionsLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CONSTANT;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      Functions functions = Functions.of(context.groups());
      String called = functions.groups().isEmpty() ? "None.\n" : functions.text(room.tokens());
      return room.whole("## Functions\n```ts\n" + called + "```");
    }
  }

  @Registered(value = CELLS_TYPE, summary = "The cells so far, and what was shown of each.")
  static final class CellsLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.GROWING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
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
  static final class VariablesLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.text("## Further variables", context.own().path(VARIABLES).asText(""));
    }
  }

  @Registered(value = "prompt.code-ask", summary = "Asks for the next cell.")
  static final class AskLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.CHANGING;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.whole(ASK);
    }
  }
}
