package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.value.Text;
import dev.colony.library.plan.PlanLevel.PlanItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
   * The tree: goal, actions with what became of them, revisions with their reasons, and what is
   * waited for. A line for each; levels are indented.
   */
  public static List<String> lines(PlanState plan) {
    List<String> lines = new ArrayList<>();
    lines.add(cut("Goal: " + plan.goal()));
    plan.root()
        .ifPresentOrElse(
            root -> level(root, "", lines), () -> lines.add("Nothing is planned yet."));
    plan.escalation()
        .ifPresent(asked -> lines.add(cut("Waits for the supervisor: " + asked.question())));
    plan.ending().ifPresent(how -> lines.add(cut("Ended: " + how)));
    return lines;
  }

  private static void level(PlanLevel level, String indent, List<String> lines) {
    for (PlanItem item : level.items()) {
      lines.add(cut(indent + "- " + item(item)));
      item.sub().ifPresent(sub -> level(sub, indent + "  ", lines));
    }
    level.result().ifPresent(result -> lines.add(cut(indent + "Comes to " + preview(result))));
    int from = Math.max(0, level.revisions().size() - REVISIONS_SHOWN);
    for (PlanLevel.Revision one : level.revisions().subList(from, level.revisions().size())) {
      lines.add(
          cut(
              "%sRevision %d, %s, because %s%s"
                  .formatted(
                      indent,
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
    return "%s [%s] %s%s"
        .formatted(
            item.name(),
            item.status().name().toLowerCase(Locale.ROOT),
            what(action.work()),
            more.isEmpty() ? "" : "; " + String.join("; ", more));
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
