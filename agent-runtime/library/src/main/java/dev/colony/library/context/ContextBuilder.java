package dev.colony.library.context;

import dev.colony.agent.AgentException;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextLayer.ContextSection;
import dev.colony.library.context.ContextLayer.SectionBudget;
import dev.colony.library.context.ContextRole.LayerBlueprint;
import dev.colony.vcm.mapping.TokenCounter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * Makes the prompt of one role: its layers, an empty line between two. Pure and thread-safe; the
 * same request gives the same prompt.
 */
public final class ContextBuilder {

  private static final String BETWEEN = "\n\n";

  private record Placed(LayerBlueprint blueprint, ContextLayer layer) {}

  private final String role;
  private final List<Placed> layers;
  private final ToIntFunction<String> counter;

  private ContextBuilder(String role, List<Placed> layers, ToIntFunction<String> counter) {
    this.role = role;
    this.layers = layers;
    this.counter = counter;
  }

  /**
   * Makes the layers of a role. Tokens are counted with the o200k_base vocabulary.
   *
   * @throws AgentException if a layer cannot be made
   */
  public static ContextBuilder of(ContextRole role, AgentTypes types) {
    return of(role, types, new TokenCounter()::count);
  }

  /** The same with another way to count tokens. */
  public static ContextBuilder of(
      ContextRole role, AgentTypes types, ToIntFunction<String> counter) {
    List<Placed> layers =
        role.layers().stream()
            .map(one -> new Placed(one, types.create(ContextLayer.class, one.layer(), types)))
            .toList();
    return new ContextBuilder(role.name(), layers, counter);
  }

  /**
   * Builds the prompt of one turn.
   *
   * @throws AgentException if a layer that is never cut is over its budget
   */
  public PromptContext build(ContextRequest request) {
    ContextRequest seen = request.seenByItself();
    List<Optional<ContextSection>> rendered = new ArrayList<>();
    Set<String> shown = new HashSet<>();
    for (Placed placed : layers) {
      Optional<ContextSection> section =
          placed.layer().readsOthers() ? Optional.empty() : render(placed, seen, Set.of());
      section.ifPresent(one -> shown.addAll(one.shown()));
      rendered.add(section);
    }
    for (int i = 0; i < layers.size(); i++) {
      if (layers.get(i).layer().readsOthers()) {
        rendered.set(i, render(layers.get(i), seen, Set.copyOf(shown)));
      }
    }
    return prompt(rendered);
  }

  private PromptContext prompt(List<Optional<ContextSection>> rendered) {
    List<String> texts = new ArrayList<>();
    List<PromptContext.Section> sections = new ArrayList<>();
    for (int i = 0; i < layers.size(); i++) {
      if (rendered.get(i).isEmpty()) {
        continue;
      }
      ContextSection section = rendered.get(i).orElseThrow();
      texts.add(section.text());
      sections.add(
          new PromptContext.Section(
              layers.get(i).layer().name(),
              counter.applyAsInt(section.text()),
              section.text().length(),
              section.lines(),
              section.of()));
    }
    return new PromptContext(role, String.join(BETWEEN, texts), sections);
  }

  private Optional<ContextSection> render(
      Placed placed, ContextRequest request, Set<String> shown) {
    SectionBudget budget =
        new SectionBudget(
            placed.blueprint().tokens().map(OptionalInt::of).orElse(OptionalInt.empty()), counter);
    return placed
        .layer()
        .render(request, shown, budget)
        .map(section -> held(placed, section, budget));
  }

  /** The section, cut if its layer did not keep to the budget. */
  private ContextSection held(Placed placed, ContextSection section, SectionBudget budget) {
    if (budget.fits(section.text())) {
      return section;
    }
    if (placed.layer().pinned()) {
      throw AgentException.refused(
          "%s of %s takes %d tokens, more than its budget of %d, and is never cut"
              .formatted(
                  placed.layer().name(),
                  role,
                  counter.applyAsInt(section.text()),
                  budget.tokens().orElseThrow()));
    }
    return new ContextSection(budget.head(section.text()), Set.of(), section.lines(), section.of());
  }

  /**
   * What a prompt is built from.
   *
   * @param agent the agent's name on the stage
   * @param persona who it is
   * @param stage what stands on the stage
   * @param memory what it recalls, a line each, the oldest first, as {@code [turn NNN][kind] text};
   *     empty for what it has witnessed on the stage
   * @param extra what the scenario adds, as it is; empty for nothing
   * @param outputFormat what form the answer must have, as it is; empty for none
   */
  public record ContextRequest(
      String agent,
      String persona,
      StageProjection stage,
      Optional<List<String>> memory,
      String extra,
      String outputFormat) {

    public ContextRequest {
      Objects.requireNonNull(agent, "agent");
      Objects.requireNonNull(persona, "persona");
      Objects.requireNonNull(stage, "stage");
      Objects.requireNonNull(extra, "extra");
      Objects.requireNonNull(outputFormat, "outputFormat");
      memory = memory.map(List::copyOf);
    }

    public static ContextRequest of(String agent, String persona, StageProjection stage) {
      return new ContextRequest(agent, persona, stage, Optional.empty(), "", "");
    }

    public ContextRequest memory(List<String> lines) {
      return new ContextRequest(agent, persona, stage, Optional.of(lines), extra, outputFormat);
    }

    public ContextRequest extra(String text) {
      return new ContextRequest(agent, persona, stage, memory, text, outputFormat);
    }

    public ContextRequest outputFormat(String text) {
      return new ContextRequest(agent, persona, stage, memory, extra, text);
    }

    /** The same without what the agent must not see, whatever a layer shows. */
    ContextRequest seenByItself() {
      return new ContextRequest(agent, persona, stage.seenBy(agent), memory, extra, outputFormat);
    }
  }

  /**
   * A prompt and what it is made of.
   *
   * @param sections in the order of the prompt
   */
  public record PromptContext(String role, String text, List<Section> sections) {

    /**
     * A section's size.
     *
     * @param lines how many lines of a list it shows, out of {@code of}; both 0 if it is no list
     */
    public record Section(String name, int tokens, int chars, int lines, long of) {}

    public PromptContext {
      sections = List.copyOf(sections);
    }

    /** Of all sections; what keeps them apart takes a few more. */
    public int tokens() {
      return sections.stream().mapToInt(Section::tokens).sum();
    }
  }
}
