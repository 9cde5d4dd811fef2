package dev.colony.library.prompt;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.Registered;
import dev.colony.library.prompt.PromptSection.Part;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * The run's actions, the oldest first, each with its parameters and its outcome: the newest in
 * full, as far as two thirds of the section go, those before them as previews, and the oldest,
 * where they do not fit, left out.
 *
 * <p>Where full lines end and previews begin moves by many actions at once and then stands for as
 * many more, so that the section mostly grows at its end and a server's prefix cache serves the
 * rest. No more of a history is read than is shown.
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
    int fullTokens = room.tokens() * 2 / 3;
    int fullChars = Math.max(room.previewChars(), room.tokens() * CHARS_PER_TOKEN);
    Deque<String> full = new ArrayDeque<>();
    int at = history.size();
    int used = TextBudget.count(HEADING) + NOTE_TOKENS;
    while (at > 0) {
      String line = line(context, history.get(at - 1), fullChars);
      int size = TextBudget.count(line) + 1;
      if (used + size > fullTokens) {
        break;
      }
      used += size;
      full.addFirst(line);
      at--;
    }
    if (full.isEmpty()) {
      // Not even the newest fits in full.
      String line =
          new TextBudget(Math.max(1, fullTokens - used))
              .cut(line(context, history.getLast(), fullChars))
              .text();
      full.addFirst(line);
      used += TextBudget.count(line) + 1;
      at--;
    }
    for (int from = stable(at, history.size()); at < from; at++) {
      used -= TextBudget.count(full.removeFirst()) + 1;
    }
    Deque<String> lines = new ArrayDeque<>(full);
    int previews = at;
    while (at > 0) {
      String line = line(context, history.get(at - 1), room.previewChars());
      int size = TextBudget.count(line) + 1;
      if (used + size > room.tokens()) {
        break;
      }
      used += size;
      lines.addFirst(line);
      at--;
    }
    for (int from = Math.min(previews, stable(at, previews)); at < from; at++) {
      lines.removeFirst();
    }
    if (at > 0) {
      lines.addFirst("[" + at + " earlier ones do not fit]");
    }
    TextBudget.Fitted fitted = room.budget().cut(HEADING + "\n" + String.join("\n", lines));
    return List.of(
        new PromptSection(
            room.name(),
            room.part(),
            fitted.text(),
            TextBudget.count(fitted.text()),
            room.tokens(),
            at > 0 || fitted.cut()));
  }

  /**
   * The first of what is shown, moved up to a multiple of a power of two that is at most half of
   * what is shown: it stays where it is while as many more come.
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
            : JsonPreview.whole(TextNode.valueOf(result.error()), mostChars);
    String reason = context.reasons().get(call.action().actionId());
    return "%s- %s: `%s` %s -> %s: %s%s"
        .formatted(
            reason == null ? "" : "You said: " + reason + "\n",
            call.action().actionId(),
            ActionTools.plain(call.action().key()),
            JsonPreview.of(call.action().params(), mostChars),
            result.status().name().toLowerCase(Locale.ROOT).replace('_', ' '),
            came,
            result.stored().isPresent() ? " [kept as a whole]" : "");
  }
}
