package dev.colony.library.prompt;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.Registered;
import dev.colony.library.prompt.PromptSection.Part;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * The run's actions, the oldest first, each with its parameters and its outcome: the newest in
 * full, as far as two thirds of the section go, those before them as previews, and the oldest,
 * where they do not fit, left out.
 *
 * <p>Where full lines end and previews begin moves by many actions at once and then stands for as
 * many more; which previews fit depends on that place alone. So the section grows at its end
 * between two such moves, and a server's prefix cache serves all the rest. No more of a history is
 * read than is shown.
 */
@Registered(value = "prompt.history", summary = "The run's actions and what they came to.")
final class HistoryLayer implements PromptLayer {

  private static final String HEADING = "## Actions so far";
  private static final int NOTE_TOKENS = 16;
  private static final int CHARS_PER_TOKEN = 2;

  @Override
  public Part part() {
    return Part.GROWING;
  }

  @Override
  public List<PromptSection> render(PlanningContext context, SectionRoom room) {
    List<ActionCall> history = context.history();
    if (history.isEmpty()) {
      return List.of();
    }
    int fullTokens = Math.max(1, room.tokens() * 2 / 3 - TextBudget.count(HEADING) - NOTE_TOKENS);
    int fullChars = Math.max(room.previewChars(), room.tokens() * CHARS_PER_TOKEN);
    Deque<String> full = last(context, history.size(), fullChars, fullTokens);
    if (full.isEmpty()) {
      String newest = line(context, history.getLast(), fullChars);
      full.add(new TextBudget(fullTokens).cut(newest).text());
    }
    int first = history.size() - full.size();
    int from = stable(first, history.size());
    for (int i = first; i < from; i++) {
      full.removeFirst();
    }
    Deque<String> previews = last(context, from, room.previewChars(), room.tokens() / 3);
    int leftOut = from - previews.size();
    List<String> lines = new ArrayList<>();
    if (leftOut > 0) {
      lines.add("[" + leftOut + " earlier ones do not fit]");
    }
    lines.addAll(previews);
    lines.addAll(full);
    TextBudget.Fitted fitted = room.budget().cut(HEADING + "\n" + String.join("\n", lines));
    return List.of(
        new PromptSection(
            room.name(),
            room.part(),
            fitted.text(),
            TextBudget.count(fitted.text()),
            room.tokens(),
            leftOut > 0 || fitted.cut()));
  }

  /** As many of the actions before a place as fit, the oldest first. */
  private static Deque<String> last(
      PlanningContext context, int before, int mostChars, int tokens) {
    Deque<String> lines = new ArrayDeque<>();
    int used = 0;
    for (int i = before - 1; i >= 0; i--) {
      String line = line(context, context.history().get(i), mostChars);
      used += TextBudget.count(line) + 1;
      if (used > tokens) {
        break;
      }
      lines.addFirst(line);
    }
    return lines;
  }

  /**
   * The first of what is shown in full, moved up to a multiple of a power of two that is at most
   * half of it: it stays where it is while as many more come.
   */
  private static int stable(int first, int end) {
    if (first == 0) {
      return 0;
    }
    int step = Integer.highestOneBit(Math.max(1, (end - first) / 2));
    return Math.min(end - 1, Math.ceilDiv(first, step) * step);
  }

  private static String line(PlanningContext context, ActionCall call, int mostChars) {
    ActionResult result = call.result();
    String came =
        result.success()
            ? JsonPreview.whole(result.output(), mostChars)
            : JsonPreview.whole(TextNode.valueOf(context.names().in(result.error())), mostChars);
    String reason = context.reasons().get(call.action().actionId());
    return "%s- %s: `%s` %s -> %s: %s%s"
        .formatted(
            reason == null ? "" : "You said: " + reason + "\n",
            call.action().actionId(),
            context.names().of(call.action().key()),
            JsonPreview.of(call.action().params(), mostChars),
            result.status().name().toLowerCase(Locale.ROOT).replace('_', ' '),
            came,
            result.stored().isPresent() ? " [kept as a whole]" : "");
  }
}
