package dev.colony.library.context;

import dev.colony.agent.AgentException;
import dev.colony.core.registry.AgentTypes;
import dev.colony.vcm.tokens.TokenCounter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
}
