package dev.colony.library.context;

import java.util.Optional;
import java.util.Set;

/**
 * One layer of a prompt. Pure; registered and bound as a blueprint. What it is given holds no
 * private thought of another agent.
 */
public interface ContextLayer {

  /** Names the section for observers of prompts. */
  String name();

  /**
   * The section within its budget; empty for none.
   *
   * @param shown the texts of the stage's lines that other sections show; always empty unless
   *     {@link #readsOthers}
   */
  Optional<ContextSection> render(ContextRequest request, Set<String> shown, SectionBudget budget);

  /** Whether it is rendered after all layers that do not ask for this, wherever it stands. */
  default boolean readsOthers() {
    return false;
  }

  /** Whether it is never cut: a prompt that has no room for it is refused. */
  default boolean pinned() {
    return false;
  }
}
