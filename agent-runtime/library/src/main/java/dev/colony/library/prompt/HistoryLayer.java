package dev.colony.library.prompt;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.Registered;
import dev.colony.library.prompt.PromptSection.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The run's actions, the oldest first, each with its parameters and its outcome: the newest in
 * full, as far as two thirds of the section go, those before them as previews, and the oldest,
 * where they do not fit, left out.
 *
 * <p>The section is shown as if it had grown with the run: it grows at its end until it is full,
 * then as much of its beginning gives way as leaves half of it. Between two such moves a server's
 * prefix cache serves all of it, and both moves, that of the full lines and that of the previews
 * before them, come together. Costs the length of the history.
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
    List<String> full = history.stream().map(call -> line(context, call, fullChars)).toList();
    int fullFrom = Math.min(full.size() - 1, start(full, fullTokens));
    List<String> previews =
        history.subList(0, fullFrom).stream()
            .map(call -> line(context, call, room.previewChars()))
            .toList();
    int previewsFrom = start(previews, room.tokens() / 3);
    List<String> lines = new ArrayList<>();
    if (previewsFrom > 0) {
      lines.add("[" + previewsFrom + " earlier ones do not fit]");
    }
    lines.addAll(previews.subList(previewsFrom, fullFrom));
    lines.addAll(full.subList(fullFrom, full.size() - 1));
    lines.add(new TextBudget(fullTokens).cut(full.getLast()).text());
    TextBudget.Fitted fitted = room.budget().cut(HEADING + "\n" + String.join("\n", lines));
    return List.of(
        new PromptSection(
            room.name(),
            room.part(),
            fitted.text(),
            TextBudget.count(fitted.text()),
            room.tokens(),
            previewsFrom > 0 || fitted.cut()));
  }

  /** The first line shown, where lines came one by one; their number if the last does not fit. */
  private static int start(List<String> lines, int tokens) {
    int[] sizes = lines.stream().mapToInt(line -> TextBudget.count(line) + 1).toArray();
    int from = 0;
    int used = 0;
    for (int i = 0; i < sizes.length; i++) {
      used += sizes[i];
      if (used > tokens) {
        while (from < i && used > tokens / 2) {
          used -= sizes[from++];
        }
      }
    }
    return used > tokens ? sizes.length : from;
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
