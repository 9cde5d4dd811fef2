package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the cast has just said and done, for an agent that is to react to it. */
@Registered(
    value = "context.recent-table",
    summary = "The newest of what was said and done, to react to.")
final class RecentTableLayer implements ContextLayer {

  private static final String LABEL = "WHAT'S BEEN SAID";

  private final Window window;

  RecentTableLayer(Window window) {
    this.window = window;
  }

  @Override
  public String name() {
    return "BLACKBOARD";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    List<StageEvent> notes = request.stage().agentNotes();
    if (notes.isEmpty()) {
      return Optional.of(ContextSection.of(LABEL + "\n(nobody has spoken yet: you begin)"));
    }
    List<LineList.Line> lines =
        LineList.newest(notes, window.lines()).stream()
            .map(note -> LineList.Line.note(note, request.agent()))
            .toList();
    return Optional.of(
        new LineList(
                LABEL + " (the newest last; answer to it)",
                any -> "",
                lines,
                notes.size(),
                "Bring in something that is not there yet: repeat and reword no line above.")
            .within(budget));
  }
}
