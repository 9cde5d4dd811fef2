package dev.colony.library.prompt;

import dev.colony.library.prompt.PromptSection.Part;
import java.util.List;

/**
 * Makes sections of a planning prompt. Registered as other types are, and placed in a prompt by
 * {@link PromptLayers}. Pure: the same context gives the same sections. Used by one thread at a
 * time.
 */
public interface PromptLayer {

  /** Where its sections stand. */
  Part part();

  /**
   * Its sections; none where it has nothing to say.
   *
   * @param room what they may take together, and the ways of keeping to it
   */
  List<PromptSection> render(PlanningContext context, SectionRoom room);
}
