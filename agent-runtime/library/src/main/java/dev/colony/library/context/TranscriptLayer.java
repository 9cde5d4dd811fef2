package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** All that was said, for an agent that is to judge the whole of it. */
@Registered(value = "context.transcript", summary = "All that was said, to be judged.")
final class TranscriptLayer implements ContextLayer {

  private static final String LABEL = "THE EXCHANGE TO JUDGE";

  private final Window window;

  TranscriptLayer(Window window) {
    this.window = window;
  }

  @Override
  public String name() {
    return "TRANSCRIPT";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    List<StageEvent> speech = request.stage().publicSpeech();
    if (speech.isEmpty()) {
      return Optional.of(ContextSection.of(LABEL + "\n(nobody has spoken yet)"));
    }
    long all = Math.max(speech.size(), request.stage().publicSpeechCount());
    List<LineList.Line> lines =
        LineList.newest(speech, window.lines()).stream()
            .map(note -> LineList.Line.note(note, request.agent()))
            .toList();
    return Optional.of(
        new LineList(
                LABEL + " (all that was said, in its order: judge the whole, not only its end)",
                some -> some < all ? "(showing the last " + some + " of " + all + " lines)" : "",
                lines,
                all,
                "")
            .within(budget));
  }
}
