package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What users have thrown in. */
@Registered(value = "context.visitor", summary = "What users have thrown in.")
final class VisitorLayer implements ContextLayer {

  private static final String LABEL = "VISITOR DISTURBANCES";

  private final Window window;

  VisitorLayer(Window window) {
    this.window = window;
  }

  @Override
  public String name() {
    return "VISITOR";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    List<StageEvent> artifacts = request.stage().userArtifacts();
    if (artifacts.isEmpty()) {
      return Optional.of(ContextSection.of(LABEL + "\n(none)"));
    }
    List<LineList.Line> lines =
        LineList.newest(artifacts, window.lines()).stream()
            .map(event -> new LineList.Line("- " + event.said(), event.said()))
            .toList();
    return Optional.of(new LineList(LABEL, any -> "", lines, artifacts.size(), "").within(budget));
  }
}
