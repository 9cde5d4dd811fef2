package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the agent recalls, without what other sections show: every line is read once. Where nothing
 * has been recalled for it, it is what the agent has witnessed on the stage.
 */
@Registered(
    value = "context.memory",
    summary = "What the agent recalls, without what is shown elsewhere.")
final class MemoryLayer implements ContextLayer {

  private static final String LABEL = "YOUR MEMORY";

  /** {@code [turn 012][agent.spoke] }, which stands before the text of a memory. */
  private static final Pattern STAMP = Pattern.compile("^\\[turn [^\\]]*]\\[[^\\]]*] ");

  private final Window window;

  MemoryLayer(Window window) {
    this.window = window;
  }

  @Override
  public String name() {
    return "MEMORY";
  }

  @Override
  public boolean readsOthers() {
    return true;
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    List<String> recalled = request.memory().orElseGet(() -> witnessed(request));
    List<LineList.Line> lines =
        LineList.newest(recalled, window.lines()).stream()
            .map(PromptText::flat)
            .filter(line -> !isShown(line, shown))
            .map(line -> new LineList.Line(line, line))
            .toList();
    return Optional.of(
        lines.isEmpty()
            ? ContextSection.of(LABEL + "\n(nothing beyond what you see here)")
            : new LineList(
                    LABEL + " (what you have lived through, the oldest first)",
                    any -> "",
                    lines,
                    recalled.size(),
                    "")
                .within(budget));
  }

  private static List<String> witnessed(ContextRequest request) {
    return request.stage().witnessedBy(request.agent()).stream().map(StageEvent::memory).toList();
  }

  /** Whether the whole text of a memory, with or without who said it, stands elsewhere. */
  private static boolean isShown(String line, Set<String> shown) {
    String text = STAMP.matcher(line).replaceFirst("");
    int speaker = text.indexOf(": ");
    return shown.contains(text) || speaker >= 0 && shown.contains(text.substring(speaker + 2));
  }
}
