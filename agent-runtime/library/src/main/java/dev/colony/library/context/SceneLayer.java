package dev.colony.library.context;

import dev.colony.agent.author.Registered;
import java.util.Optional;
import java.util.Set;

/** The world as it was last observed. */
@Registered(value = "context.scene", summary = "The world as it was last observed.")
final class SceneLayer implements ContextLayer {

  private static final String NOTHING = "(nothing has been observed yet)";

  @Override
  public String name() {
    return "CURRENT SCENE";
  }

  @Override
  public Optional<ContextSection> render(
      ContextRequest request, Set<String> shown, SectionBudget budget) {
    Optional<String> scene = request.stage().currentScene();
    String text = name() + "\n" + scene.map(PromptText::block).orElse(NOTHING);
    // A scene that was cut is not shown as a whole, so that a memory of it still says something.
    Set<String> said =
        budget.fits(text) ? Set.copyOf(scene.map(PromptText::flat).stream().toList()) : Set.of();
    return Optional.of(new ContextSection(budget.head(text), said, 0, 0));
  }
}
