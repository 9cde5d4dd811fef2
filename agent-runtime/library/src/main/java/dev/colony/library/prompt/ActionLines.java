package dev.colony.library.prompt;

import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.action.Effect;
import dev.colony.library.prompt.TextBudget.Fitted;
import java.util.ArrayList;
import java.util.List;

/**
 * The actions that may be chosen as lines, one for each group and one for each action. The name of
 * an action stands in backquotes, here and nowhere else on a line that describes it.
 *
 * @param offered the actions that are shown: what does not fit cannot be chosen either
 */
record ActionLines(PromptSection section, List<ActionDescription> offered) {

  private static final int SUMMARY_CHARS = 400;

  /**
   * @param parameters whether the parameters of each action are shown too
   */
  static ActionLines of(List<ActionGroup> groups, boolean parameters, TextBudget budget) {
    List<String> lines = new ArrayList<>();
    List<ActionDescription> described = new ArrayList<>();
    List<Integer> upTo = new ArrayList<>();
    for (ActionGroup group : groups) {
      if (group.actions().isEmpty()) {
        continue;
      }
      String summary = group.summary().isBlank() ? "" : ": " + line(group.summary());
      lines.add("### " + group.name() + summary);
      for (ActionDescription action : group.actions()) {
        lines.add(line(action, parameters));
        described.add(action);
        upTo.add(lines.size());
      }
    }
    if (described.isEmpty()) {
      lines.add("None.");
    }
    Fitted fitted = budget.first("## Available actions", lines);
    int offered = (int) upTo.stream().filter(end -> end <= fitted.shown()).count();
    return new ActionLines(
        fitted.section("actions", budget), List.copyOf(described.subList(0, offered)));
  }

  private static String line(ActionDescription action, boolean parameters) {
    StringBuilder line = new StringBuilder("- `").append(action.key()).append('`');
    if (!action.summary().isBlank()) {
      line.append(' ').append(line(action.summary()));
    }
    if (parameters && !action.parameters().path("properties").isEmpty()) {
      line.append(" Parameters: ").append(SchemaWords.parameters(action.parameters()));
    }
    if (action.effect() == Effect.EXTERNAL) {
      line.append(" [reaches the world outside]");
    }
    if (action.approval()) {
      line.append(" [waits until a person approves it]");
    }
    return line.toString();
  }

  private static String line(String summary) {
    return JsonPreview.cut(summary.strip(), SUMMARY_CHARS);
  }
}
