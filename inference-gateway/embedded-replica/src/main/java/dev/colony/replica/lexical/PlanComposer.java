package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.PlanTree.Item;
import dev.colony.replica.lexical.Tools.Call;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays a model that plans, by its words: each step of the goals is served by the action that
 * shares most words with it, one after the other. {@code for each FILE: ...} is carried out for the
 * elements of a list in the input or in an earlier result; where that is not known yet, or where
 * the elements have parts of their own, as a part that is planned when its turn comes.
 *
 * <p>For an action that failed it tries the one that fits second best, then asks the supervisor if
 * goals or constraints say so, then goes on without it if anything else was done, and gives up
 * otherwise.
 */
final class PlanComposer {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int GOAL_CHARS = 600;
  private static final int AHEAD_UNSAID = 8;

  private static final Pattern AHEAD = Pattern.compile("\\bat most (\\d+)");
  private static final Pattern PART =
      Pattern.compile(
          "Plan how its goal is reached: (.*?) \\(([\\w.~-]+)\\)(?=\\n|$)"
              + "(?:\\nIt starts from: ([^\\n]*))?",
          Pattern.DOTALL);
  private static final Pattern LOOKED_AT = Pattern.compile("The part `([^`]+)` of your plan");
  private static final Pattern TRIGGER = Pattern.compile("(?m)^- ([a-z]+): (.*)$");
  private static final Pattern NAMED = Pattern.compile("`([^`]+)`");
  private static final Pattern DENIED = Pattern.compile("\\b(?:denied|refused|blocked)\\b");
  private static final Pattern SUPERVISOR =
      Pattern.compile("(?i)\\b(?:ask|tell) (?:your|the) supervisor\\b|\\bescalate\\b");

  private final PlannerPrompt prompt;
  private final PlanTree tree;
  private final String question;
  private final LevelDraft.Means means;

  private PlanComposer(PlannerPrompt prompt, PlanTree tree, String question, boolean many) {
    this.prompt = prompt;
    this.tree = tree;
    this.question = question;
    List<String> lines = new ArrayList<>(prompt.lines(PlannerPrompt.SHOWN));
    lines.addAll(prompt.lines(PlannerPrompt.ACTIONS));
    Set<String> keys = new HashSet<>();
    List<OfferedAction> actions =
        lines.stream()
            .flatMap(line -> OfferedAction.ofLine(line).stream())
            .filter(one -> keys.add(one.name()))
            .toList();
    Matcher most = AHEAD.matcher(String.join("\n", prompt.lines("How you work")));
    this.means =
        new LevelDraft.Means(
            prompt,
            tree,
            actions,
            most.find() ? Integer.parseInt(most.group(1)) : AHEAD_UNSAID,
            many && prompt.lines(PlannerPrompt.SHOWN).isEmpty());
  }

  /** The tool that answers a question about a plan. */
  static Call call(LexicalPrompt asked, Tools tools) {
    String text = PlannerPrompt.text(asked);
    int answer = text.lastIndexOf("## Your answer\n");
    String question = answer < 0 ? text : text.substring(answer + 15);
    int next = question.indexOf("\n## ");
    PlannerPrompt prompt = PlannerPrompt.asWritten(asked);
    return new PlanComposer(
            prompt,
            PlanTree.of(text),
            (next < 0 ? question : question.substring(0, next)).strip(),
            tools.named(Tools.SHOW).isPresent())
        .answer();
  }

  private Call answer() {
    if (question.contains("looked at")) {
      return revised();
    }
    Matcher part = PART.matcher(question);
    if (part.find()) {
      JsonNode input = part.group(3) == null ? MissingNode.getInstance() : input(part);
      return planned(new LevelDraft(means, part.group(2), input), List.of(part.group(1)));
    }
    JsonNode input = GoalValues.input(prompt.lines(PlannerPrompt.INPUT));
    return planned(new LevelDraft(means, "", input), prompt.goals());
  }

  /** What a part starts from: a value, or what an earlier action gave. */
  private JsonNode input(Matcher part) {
    String given = part.group(3).strip();
    Matcher reference = Pattern.compile("\"\\$results\\.([\\w-]+)\"").matcher(given);
    return reference.matches()
        ? tree.output(part.group(2), reference.group(1))
        : given.startsWith("\"")
            ? TextNode.valueOf(given.substring(1, Math.max(1, given.length() - 1)))
            : GoalValues.parsed(given);
  }

  private Call planned(LevelDraft draft, List<String> goals) {
    for (String goal : goals) {
      for (GoalStep step : GoalStep.of(goal)) {
        draft.add(step);
      }
    }
    if (!draft.groups().isEmpty()) {
      ObjectNode show = JSON.objectNode();
      draft.groups().stream().distinct().forEach(show.putArray("groups")::add);
      return new Call(Tools.SHOW, show);
    }
    if (!draft.actions().isEmpty()) {
      ObjectNode plan = JSON.objectNode();
      plan.set("actions", draft.actions());
      plan.set("result", draft.result());
      return new Call(Tools.PLAN, plan);
    }
    if (goals.isEmpty()) {
      return new Call(Tools.IDLE, JSON.objectNode());
    }
    String all = String.join(" ", goals);
    return complete(GoalValues.filled(JSON.objectNode(), "", all, prompt.texts(all)));
  }

  private static Call complete(JsonNode result) {
    ObjectNode arguments = JSON.objectNode();
    arguments.set("result", result);
    return new Call(Tools.COMPLETE, arguments);
  }

  private static Call fail(String reason) {
    return new Call(
        Tools.FAIL, JSON.objectNode().put("reason", WellFormed.head(reason, GOAL_CHARS)));
  }

  private static Call goOn() {
    return new Call(Tools.GO_ON, JSON.objectNode());
  }

  /** What is done about what has happened to a level. */
  private Call revised() {
    Matcher at = LOOKED_AT.matcher(question);
    String level = at.find() ? at.group(1) : "";
    Matcher trigger = TRIGGER.matcher(question);
    List<String> failed = new ArrayList<>();
    Optional<Call> other = Optional.empty();
    while (trigger.find()) {
      String detail = trigger.group(2);
      switch (trigger.group(1)) {
        case "failed" -> failed.add(detail);
        case "answered" -> {
          return detail.contains(" says no") ? fail(detail) : goOn();
        }
        case "refused" -> other = Optional.of(refused(level, detail));
        case "stuck" -> other = Optional.of(whatIsDone(level, detail));
        case "exhausted" -> other = other.or(() -> Optional.of(whatIsDone(level, detail)));
        default -> {
          // A plan that goes as expected goes on.
        }
      }
    }
    return failed.isEmpty() ? other.orElseGet(PlanComposer::goOn) : failed(level, failed);
  }

  private Call failed(String level, List<String> failed) {
    LevelDraft draft = new LevelDraft(means, level, MissingNode.getInstance());
    for (String detail : failed) {
      Matcher named = NAMED.matcher(detail);
      Optional<Item> item = named.find() ? tree.item(level, named.group(1)) : Optional.empty();
      if (item.isPresent() && !DENIED.matcher(detail).find()) {
        draft.instead(item.get(), detail);
      }
    }
    if (draft.actions().size() == failed.size()) {
      ObjectNode plan = JSON.objectNode().put("mode", "add");
      plan.set("actions", draft.actions());
      return new Call(Tools.PLAN, plan);
    }
    String why = String.join("; ", failed);
    List<String> said = new ArrayList<>(prompt.lines(PlannerPrompt.GOALS));
    said.addAll(prompt.lines(PlannerPrompt.CONSTRAINTS));
    if (!tree.escalated() && SUPERVISOR.matcher(String.join("\n", said)).find()) {
      return new Call(Tools.ESCALATE, JSON.objectNode().put("question", "Go on? " + why));
    }
    List<Item> others = tree.items(level).stream().filter(one -> !one.failed()).toList();
    if (others.isEmpty()) {
      return fail(why);
    }
    return others.stream().anyMatch(one -> waitsForFailed(level, one)) ? goOn() : without(others);
  }

  private boolean waitsForFailed(String level, Item item) {
    return !item.done()
        && tree.items(level).stream().filter(Item::failed).anyMatch(one -> item.needs(one.name()));
  }

  /** The plan comes to what the others give. */
  private static Call without(List<Item> others) {
    ObjectNode plan = JSON.objectNode().put("mode", "add");
    plan.putArray("actions");
    plan.set("result", references(others.stream().map(Item::name).toList()));
    return new Call(Tools.PLAN, plan);
  }

  /** One more action where one fits what is missing, else what was done, and that once. */
  private Call refused(String level, String reason) {
    List<Item> items = tree.items(level);
    Optional<OfferedAction> more = means.best(reason, new HashSet<>(tree.keys()));
    if (more.isPresent() && more.get().match(reason) > 0.3) {
      LevelDraft draft = new LevelDraft(means, level, MissingNode.getInstance());
      draft.act(more.get(), reason, MissingNode.getInstance(), "", List.of());
      ObjectNode plan = JSON.objectNode().put("mode", "add");
      plan.set("actions", draft.actions());
      ObjectNode result = references(items);
      result.setAll(references(draft.names()));
      plan.set("result", result);
      return new Call(Tools.PLAN, plan);
    }
    return tree.refusals() > 0 ? fail(reason) : whatIsDone(level, reason);
  }

  private Call whatIsDone(String level, String detail) {
    List<Item> done = tree.items(level).stream().filter(Item::done).toList();
    return done.isEmpty()
        ? fail(detail)
        : complete(
            done.size() == 1
                ? TextNode.valueOf("$results." + done.getFirst().name())
                : references(done));
  }

  static ObjectNode references(List<?> names) {
    ObjectNode result = JSON.objectNode();
    for (Object one : names) {
      String name = one instanceof Item item ? item.done() ? item.name() : "" : one.toString();
      if (!name.isEmpty()) {
        result.put(name, "$results." + name);
      }
    }
    return result;
  }
}
