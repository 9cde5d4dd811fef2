package dev.colony.library.policy;

import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import java.util.List;
import java.util.function.BiFunction;

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

  /** A layer whose sections are one expression. */
  abstract class Expression implements PromptLayer {

    private final Part part;
    private final BiFunction<PlanningContext, SectionRoom, List<PromptSection>> sections;

    protected Expression(
        Part part, BiFunction<PlanningContext, SectionRoom, List<PromptSection>> sections) {
      this.part = part;
      this.sections = sections;
    }

    @Override
    public final Part part() {
      return part;
    }

    @Override
    public final List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return sections.apply(context, room);
    }
  }
}
