package dev.colony.library.prompt;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.PromptBudgets;
import dev.colony.agent.suspension.Approval;
import dev.colony.library.prompt.TextBudget.Fitted;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.RandomAccess;

/**
 * Turns a planning context into a prompt: the same context always gives the same text. Sections
 * stand in a fixed order, what changes least first, so that a server's prefix cache serves as much
 * of the prompt as it can: role, goals, constraints, input, streams, news, background processes,
 * actions, history, what people approved or denied, the previous problem, the form of the answer.
 *
 * @param budgets of the sections, in tokens
 * @param previewChars how much of a value is shown
 */
public record PlanningFormat(PromptBudgets budgets, int previewChars) {

  /** The same for every agent and iteration. */
  static final String PREAMBLE =
      """
      You decide for an agent what it does next. You are shown its goals, what it has experienced, \
      the actions that it can take and what those that it took have come to. You choose one action \
      at a time and see its result before you choose again. Answer with one JSON object and \
      nothing else.\
      """;

  private static final String CHOICES =
      """
      Instead of an action the decision can be:
      complete, with a "result", when the goals are reached;
      idle, when nothing is to be done until something happens;
      fail, with a "reason", when the goals cannot be reached.\
      """;

  private static final String DECISION =
      """
      ## Your answer
      What is done next? Answer {"reasoning": in a sentence or two, "decision": {"action": its name, \
      "parameters": {...}}}. A parameter or a result may refer to the output of an earlier action as \
      "$results.ID" or "$results.ID.path"; a text that begins with $ is written with $$.
      """
          + CHOICES;

  private static final String CHOICE =
      """
      ## Your answer
      What is done next? Answer {"reasoning": in a sentence or two, "decision": {"action": its \
      name}}; you are asked for its parameters afterwards.
      """
          + CHOICES;

  private static final String PARAMETERS =
      """
      ## Your answer
      Answer with the parameters of the chosen action: one JSON object that satisfies its schema. A \
      parameter may refer to the output of an earlier action as "$results.ID" or "$results.ID.path"; \
      a text that begins with $ is written with $$.\
      """;

  /** Asks for an action and its parameters at once. */
  public PlanningPrompt decide(PlanningContext context) {
    return prompt(context, true).and(fixed("answer", DECISION));
  }

  /** Asks for an action; its parameters come with {@link #fill}. */
  public PlanningPrompt choose(PlanningContext context) {
    return prompt(context, false).and(fixed("answer", CHOICE));
  }

  /** Asks for the parameters of the action that was chosen. */
  public PlanningPrompt fill(PlanningContext context, ActionDescription chosen) {
    TextBudget budget = new TextBudget(budgets.actions());
    String text =
        "## Chosen action\n- `%s` %s\nIts parameters: %s"
            .formatted(chosen.key(), chosen.summary(), chosen.parameters());
    return prompt(context, false)
        .and(budget.cut(text).section("chosen", budget))
        .and(fixed("answer", PARAMETERS));
  }

  private PlanningPrompt prompt(PlanningContext context, boolean parameters) {
    List<PromptSection> sections = new ArrayList<>();
    sections.add(text("role", context.role(), budgets.role(), "## Role\n"));
    sections.add(bullets("goals", "## Goals", context.goals(), budgets.goals()));
    sections.add(
        bullets("constraints", "## Constraints", context.constraints(), budgets.constraints()));
    sections.add(bullets("input", "## Input", input(context.input()), budgets.input()));
    context
        .streams()
        .forEach(
            one -> sections.add(text("stream:" + one.name(), one.text(), budgets.stream(), "")));
    sections.add(bullets("news", "## New events", news(context.news()), budgets.news()));
    sections.add(background(context));
    ActionLines actions =
        ActionLines.of(context.groups(), parameters, new TextBudget(budgets.actions()));
    sections.add(actions.section());
    sections.add(history(context.history()));
    sections.add(approvals(context.approvals()));
    sections.add(
        text(
            "problem",
            context.problem().orElse(""),
            budgets.problem(),
            "## What went wrong in the previous iteration\n"));
    return new PlanningPrompt(PREAMBLE, sections, actions.offered());
  }

  private PromptSection background(PlanningContext context) {
    List<String> lines = new ArrayList<>();
    context
        .background()
        .forEach(
            one -> lines.add("%s (%s): %s".formatted(one.name(), one.capability(), one.effect())));
    return bullets(
        "background", "## Running by themselves, not to be called", lines, budgets.background());
  }

  private PromptSection history(List<ActionCall> history) {
    TextBudget budget = new TextBudget(budgets.history());
    if (history.isEmpty()) {
      return fixed("history", "");
    }
    return budget.last("## Actions so far", new Lines(history)).section("history", budget);
  }

  /** A line for each action, made when it is read: of a long history few are. */
  private final class Lines extends AbstractList<String> implements RandomAccess {

    private final List<ActionCall> history;

    Lines(List<ActionCall> history) {
      this.history = history;
    }

    @Override
    public String get(int index) {
      return line(history.get(index));
    }

    @Override
    public int size() {
      return history.size();
    }
  }

  private PromptSection approvals(List<Approval> approvals) {
    List<String> lines =
        approvals.stream()
            .map(one ->
                "%s %s by %s%s"
                    .formatted(
                        one.request(),
                        one.granted() ? "approved" : "denied",
                        one.by(),
                        one.note().isEmpty() ? "" : ": " + one.note()))
            .map(line -> JsonPreview.cut(line, previewChars))
            .toList();
    return bullets("approvals", "## What people have said", lines, budgets.approvals());
  }

  private String line(ActionCall call) {
    ActionResult result = call.result();
    String came =
        result.success()
            ? JsonPreview.of(result.output(), previewChars)
            : JsonPreview.cut(result.error(), previewChars);
    return "- %s: `%s` %s -> %s: %s"
        .formatted(
            call.action().actionId(),
            call.action().key(),
            JsonPreview.of(call.action().params(), previewChars),
            result.status().name().toLowerCase(Locale.ROOT).replace('_', ' '),
            came);
  }

  private List<String> input(JsonNode input) {
    return input.properties().stream()
        .map(one -> one.getKey() + ": " + JsonPreview.of(one.getValue(), previewChars))
        .toList();
  }

  private List<String> news(List<JsonNode> news) {
    return news.stream().map(one -> JsonPreview.of(one, previewChars)).toList();
  }

  private static PromptSection bullets(
      String name, String heading, List<String> lines, int tokens) {
    if (lines.isEmpty()) {
      return new PromptSection(name, "", 0, tokens, false);
    }
    TextBudget budget = new TextBudget(tokens);
    return budget
        .first(heading, lines.stream().map(line -> "- " + line).toList())
        .section(name, budget);
  }

  private static PromptSection text(String name, String text, int tokens, String heading) {
    TextBudget budget = new TextBudget(tokens);
    Fitted fitted = budget.cut(text.isEmpty() ? "" : heading + text);
    return fitted.section(name, budget);
  }

  /** A part that is constant takes what it takes. */
  private static PromptSection fixed(String name, String text) {
    int size = TextBudget.count(text);
    return new PromptSection(name, text, size, size, false);
  }
}
