package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.context.ContextBuilder.ContextRequest;
import dev.colony.library.context.ContextLayer.ContextSection;
import dev.colony.library.context.ContextLayer.SectionBudget;
import dev.colony.library.context.ContextLayer.Window;
import dev.colony.library.context.MemoryManagementPolicy.MemoryManagementCapability;
import dev.colony.library.context.StageEvent.PromptText;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The stock layers, the capability to be on a stage, and those of memory. */
public final class ContextTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(IdentityLayer.class);
    types.add(GoalLayer.class);
    types.add(SceneLayer.class);
    types.add(RecentTableLayer.class);
    types.add(TranscriptLayer.class);
    types.add(MemoryLayer.class);
    types.add(VisitorLayer.class);
    types.add(ExtraLayer.class);
    types.add(OutputFormatLayer.class);
    types.add(StageCapability.class);
    types.add(ContextCapability.class);
    types.add(MemoryCapability.class);
    types.add(MemoryManagementCapability.class);
    types.add(MemoryManagementPolicy.class);
  }

  /** A layer whose section does not depend on those of others. */
  private abstract static class Alone implements ContextLayer {

    private final String name;
    private final BiFunction<ContextRequest, SectionBudget, Optional<ContextSection>> section;

    Alone(
        String name, BiFunction<ContextRequest, SectionBudget, Optional<ContextSection>> section) {
      this.name = name;
      this.section = section;
    }

    @Override
    public final String name() {
      return name;
    }

    @Override
    public final Optional<ContextSection> render(
        ContextRequest request, Set<String> shown, SectionBudget budget) {
      return section.apply(request, budget);
    }
  }

  /** Never cut. */
  @Registered(value = "context.identity", summary = "Who the agent is.")
  static final class IdentityLayer extends Alone {

    IdentityLayer() {
      super(
          "IDENTITY",
          (request, budget) ->
              Optional.of(ContextSection.of("IDENTITY\n" + request.persona().strip())));
    }

    @Override
    public boolean pinned() {
      return true;
    }
  }

  @Registered(value = "context.goal", summary = "The goal that all share.")
  static final class GoalLayer extends Alone {

    GoalLayer() {
      super(
          "SHARED GOAL",
          (request, budget) ->
              request
                  .stage()
                  .goal()
                  .map(goal ->
                      ContextSection.of(budget.head("SHARED GOAL\n" + PromptText.block(goal)))));
    }
  }

  @Registered(value = "context.scene", summary = "The world as it was last observed.")
  static final class SceneLayer extends Alone {

    SceneLayer() {
      super(
          "CURRENT SCENE",
          (request, budget) -> {
            Optional<String> scene = request.stage().currentScene();
            String text =
                "CURRENT SCENE\n"
                    + scene.map(PromptText::block).orElse("(nothing has been observed yet)");
            // A scene that was cut is not shown as a whole, so that a memory of it still says
            // something.
            Set<String> said =
                budget.fits(text)
                    ? Set.copyOf(scene.map(PromptText::flat).stream().toList())
                    : Set.of();
            return Optional.of(new ContextSection(budget.head(text), said, 0, 0));
          });
    }
  }

  @Registered(
      value = "context.recent-table",
      summary = "The newest of what was said and done, to react to.")
  static final class RecentTableLayer extends Alone {

    private static final String LABEL = "WHAT'S BEEN SAID";

    RecentTableLayer(Window window) {
      super(
          "BLACKBOARD",
          (request, budget) -> {
            List<StageEvent> notes = request.stage().agentNotes();
            if (notes.isEmpty()) {
              return Optional.of(ContextSection.of(LABEL + "\n(nobody has spoken yet: you begin)"));
            }
            return Optional.of(
                new LineList(
                        LABEL + " (the newest last; answer to it)",
                        any -> "",
                        LineList.notes(notes, window, request.agent()),
                        notes.size(),
                        "Bring in something that is not there yet: repeat and reword no line"
                            + " above.")
                    .within(budget));
          });
    }
  }

  @Registered(value = "context.transcript", summary = "All that was said, to be judged.")
  static final class TranscriptLayer extends Alone {

    private static final String LABEL = "THE EXCHANGE TO JUDGE";

    TranscriptLayer(Window window) {
      super(
          "TRANSCRIPT",
          (request, budget) -> {
            List<StageEvent> speech = request.stage().publicSpeech();
            if (speech.isEmpty()) {
              return Optional.of(ContextSection.of(LABEL + "\n(nobody has spoken yet)"));
            }
            long all = Math.max(speech.size(), request.stage().publicSpeechCount());
            return Optional.of(
                new LineList(
                        LABEL
                            + " (all that was said, in its order: judge the whole, not only its"
                            + " end)",
                        some ->
                            some < all
                                ? "(showing the last " + some + " of " + all + " lines)"
                                : "",
                        LineList.notes(speech, window, request.agent()),
                        all,
                        "")
                    .within(budget));
          });
    }
  }

  /**
   * Every line is read once: what other sections show is left out. Where nothing has been recalled
   * for it, it is what the agent has witnessed on the stage.
   */
  @Registered(
      value = "context.memory",
      summary = "What the agent recalls, without what is shown elsewhere.")
  static final class MemoryLayer implements ContextLayer {

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

  @Registered(value = "context.visitor", summary = "What users have thrown in.")
  static final class VisitorLayer extends Alone {

    private static final String LABEL = "VISITOR DISTURBANCES";

    VisitorLayer(Window window) {
      super(
          "VISITOR",
          (request, budget) -> {
            List<StageEvent> artifacts = request.stage().userArtifacts();
            if (artifacts.isEmpty()) {
              return Optional.of(ContextSection.of(LABEL + "\n(none)"));
            }
            List<LineList.Line> lines =
                LineList.newest(artifacts, window.lines()).stream()
                    .map(event -> new LineList.Line("- " + event.said(), event.said()))
                    .toList();
            return Optional.of(
                new LineList(LABEL, any -> "", lines, artifacts.size(), "").within(budget));
          });
    }
  }

  @Registered(value = "context.extra", summary = "What the scenario adds.")
  static final class ExtraLayer extends Alone {

    ExtraLayer() {
      super(
          "EXTRA",
          (request, budget) ->
              Optional.of(request.extra().strip())
                  .filter(text -> !text.isEmpty())
                  .map(text -> ContextSection.of(budget.head(text))));
    }
  }

  /** Never cut, since half of a format is none. */
  @Registered(value = "context.output-format", summary = "What form the answer must have.")
  static final class OutputFormatLayer extends Alone {

    OutputFormatLayer() {
      super(
          "OUTPUT FORMAT",
          (request, budget) ->
              Optional.of(request.outputFormat().strip())
                  .filter(text -> !text.isEmpty())
                  .map(text -> ContextSection.of("OUTPUT FORMAT\n" + text)));
    }

    @Override
    public boolean pinned() {
      return true;
    }
  }

  /**
   * A section with a list of the stage's lines. Where not all fit, the oldest go.
   *
   * @param label stands above them; {@code note} gives a line between, from how many are shown;
   *     empty for none
   * @param lines the newest last
   * @param of how many there were before any window
   * @param foot stands below them; empty for nothing
   */
  record LineList(String label, IntFunction<String> note, List<Line> lines, long of, String foot) {

    /**
     * @param text as it is shown
     * @param said by which other layers know it
     */
    record Line(String text, String said) {}

    /** The newest of these events as an agent reads them. */
    static List<Line> notes(List<StageEvent> events, Window window, String reader) {
      return newest(events, window.lines()).stream()
          .map(event -> new Line("- " + event.note(reader), event.said()))
          .toList();
    }

    static <T> List<T> newest(List<T> all, int most) {
      return all.subList(Math.max(0, all.size() - most), all.size());
    }

    ContextSection within(SectionBudget budget) {
      int shown = budget.newest(lines.stream().map(Line::text).toList(), this::text);
      return new ContextSection(
          text(shown),
          newest(lines, shown).stream().map(Line::said).collect(Collectors.toSet()),
          shown,
          of);
    }

    private String text(int shown) {
      StringBuilder text = new StringBuilder(label);
      String between = note.apply(shown);
      if (!between.isEmpty()) {
        text.append('\n').append(between);
      }
      newest(lines, shown).forEach(line -> text.append('\n').append(line.text()));
      if (!foot.isEmpty()) {
        text.append('\n').append(foot);
      }
      return text.toString();
    }
  }
}
