package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.value.Text;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A plan's tree as lines, for planners and for people. */
public final class PlanText {

  /** The entry of an agent's policy state under which its plan is kept. */
  public static final String ENTRY = "plan";

  /** Of a level's revisions the last are shown. */
  static final int REVISIONS_SHOWN = 5;

  static final int LINE_CHARS = 400;
  private static final int PARAMS_CHARS = 160;

  private PlanText() {}

  /**
   * The plan among the entries that a policy keeps of its agent; empty where there is none that can
   * be read.
   */
  public static Optional<PlanState> kept(JsonNode entries) {
    try {
      return Optional.of(entries.path(ENTRY))
          .filter(JsonNode::isObject)
          .map(kept -> (PlanState) JsonValues.read(kept, PlanState.class));
    } catch (IllegalArgumentException otherPolicys) {
      return Optional.empty();
    }
  }

  /**
   * A row of a plan, for people.
   *
   * @param depth how many levels stand above the one that it belongs to
   * @param action the name by which actions of its level refer to it; empty for a goal, what a
   *     level comes to, a revision, what is waited for, and how the plan ended
   * @param status of the action
   * @param text one line of at most 400 characters
   */
  public record PlanRow(int depth, Optional<String> action, Optional<Status> status, String text) {

    static PlanRow of(int depth, String text) {
      return new PlanRow(depth, Optional.empty(), Optional.empty(), cut(text));
    }

    String line() {
      String head =
          action
              .map(name ->
                  "- %s [%s] "
                      .formatted(name, status.orElseThrow().name().toLowerCase(Locale.ROOT)))
              .orElse("");
      return cut("  ".repeat(depth) + head + text);
    }
  }

  /** The same as {@link #rows}, a line for each; levels are indented. */
  public static List<String> lines(PlanState plan) {
    return rows(plan).stream().map(PlanRow::line).toList();
  }

  /**
   * The tree: goal, actions with what became of them, revisions with their reasons, and what is
   * waited for.
   */
  public static List<PlanRow> rows(PlanState plan) {
    List<PlanRow> rows = new ArrayList<>();
    rows.add(PlanRow.of(0, "Goal: " + plan.goal()));
    plan.root()
        .ifPresentOrElse(
            root -> level(root, 0, rows), () -> rows.add(PlanRow.of(0, "Nothing is planned yet.")));
    plan.escalation()
        .ifPresent(
            asked -> rows.add(PlanRow.of(0, "Waits for the supervisor: " + asked.question())));
    plan.ending().ifPresent(how -> rows.add(PlanRow.of(0, "Ended: " + how)));
    return rows;
  }

  private static void level(PlanLevel level, int depth, List<PlanRow> rows) {
    for (PlanItem item : level.items()) {
      rows.add(
          new PlanRow(
              depth, Optional.of(item.name()), Optional.of(item.status()), cut(item(item))));
      item.sub().ifPresent(sub -> level(sub, depth + 1, rows));
    }
    level.result().ifPresent(result -> rows.add(PlanRow.of(depth, "Comes to " + preview(result))));
    int from = Math.max(0, level.revisions().size() - REVISIONS_SHOWN);
    for (PlanLevel.Revision one : level.revisions().subList(from, level.revisions().size())) {
      rows.add(
          PlanRow.of(
              depth,
              "Revision %d, %s, because %s%s"
                  .formatted(
                      one.number(),
                      one.strategy(),
                      String.join("; ", one.triggers()),
                      one.reason().isEmpty() ? "" : " (" + one.reason() + ")")));
    }
  }

  private static String item(PlanItem item) {
    PlanAction action = item.action();
    List<String> more = new ArrayList<>();
    if (!action.after().isEmpty()) {
      more.add("after " + String.join(", ", action.after()));
    }
    if (!action.expects().words().isEmpty()) {
      more.add("expects " + action.expects().words());
    }
    if (!action.pages().isEmpty()) {
      more.add("reads " + action.pages().size() + " pages");
    }
    if (action.costTokens() > 0) {
      more.add("costs %,d tokens".formatted(action.costTokens()));
    }
    if (action.undo().isPresent()) {
      more.add("can be taken back");
    }
    if (!item.note().isEmpty()) {
      more.add(item.note());
    }
    return what(action.work()) + (more.isEmpty() ? "" : "; " + String.join("; ", more));
  }

  private static String what(PlanAction.Work work) {
    return switch (work) {
      case PlanAction.Call call -> "`" + call.key() + "` " + preview(call.params());
      case PlanAction.SubPlan sub ->
          sub.goal() + sub.delegate().map(kind -> " (by an agent: " + kind + ")").orElse("");
    };
  }

  private static String preview(JsonNode json) {
    String text = json.toString();
    int most = PARAMS_CHARS;
    return text.length() <= most ? text : Text.head(text, most - 1) + "…";
  }

  private static String cut(String line) {
    String one = line.replaceAll("[\\r\\n\\t]+", " ");
    int most = LINE_CHARS;
    return one.length() <= most ? one : Text.head(one, most - 1) + "…";
  }
}
