package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.PolicySettings;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * The layers of a planning prompt. Within each part of the prompt their sections stand in the order
 * of the list. Immutable.
 *
 * @param layers whose names are unlike
 */
public record PromptLayers(List<Placed> layers) {

  /**
   * A layer in a prompt.
   *
   * @param name of its section
   * @param layer a registered {@link PromptLayer}
   * @param tokens that its section may take, 32 to 1,000,000; empty for the node's budget for a
   *     section of that name
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Placed(String name, Blueprint layer, Optional<Integer> tokens) {

    public Placed {
      Objects.requireNonNull(layer, "layer");
      tokens = tokens == null ? Optional.empty() : tokens;
      if (!name.matches("[a-z][a-zA-Z0-9-]{0,63}")) {
        throw new IllegalArgumentException(
            "a layer's name begins with a small letter and has 1 to 64 letters, digits and -, not "
                + name);
      }
      tokens
          .filter(most -> most < PolicySettings.Prompt.LEAST || most > PolicySettings.Prompt.MOST)
          .ifPresent(most -> {
            throw new IllegalArgumentException(
                "the budget of %s is %d tokens, but must be %d to %d"
                    .formatted(
                        name, most, PolicySettings.Prompt.LEAST, PolicySettings.Prompt.MOST));
          });
    }
  }

  /** The layers that ship with the runtime, in their order. */
  public static final PromptLayers STOCK =
      new PromptLayers(
          PolicyTypes.NAMES.stream()
              .map(name ->
                  new Placed(name, Blueprint.of(PolicyTypes.PREFIX + name), Optional.empty()))
              .toList());

  public PromptLayers {
    layers = List.copyOf(layers);
    Set<String> names = new HashSet<>();
    for (Placed one : layers) {
      if (!names.add(one.name())) {
        throw new IllegalArgumentException("two layers of a prompt are named " + one.name());
      }
    }
  }

  /**
   * One more before another.
   *
   * @throws IllegalArgumentException if there is no layer of that name
   */
  public PromptLayers before(String other, String name, Blueprint layer) {
    List<Placed> more = new ArrayList<>(layers);
    more.add(index(other), new Placed(name, layer, Optional.empty()));
    return new PromptLayers(more);
  }

  /** Another layer in the place of one, with its name and budget. */
  public PromptLayers replace(String name, Blueprint layer) {
    return changed(name, one -> new Placed(name, layer, one.tokens()));
  }

  /** Another budget for one. */
  public PromptLayers tokens(String name, int tokens) {
    return changed(name, one -> new Placed(name, one.layer(), Optional.of(tokens)));
  }

  /** All but one. */
  public PromptLayers without(String name) {
    List<Placed> fewer = new ArrayList<>(layers);
    fewer.remove(index(name));
    return new PromptLayers(fewer);
  }

  private PromptLayers changed(String name, UnaryOperator<Placed> change) {
    List<Placed> all = new ArrayList<>(layers);
    int at = index(name);
    all.set(at, change.apply(all.get(at)));
    return new PromptLayers(all);
  }

  private int index(String name) {
    List<String> names = layers.stream().map(Placed::name).toList();
    if (!names.contains(name)) {
      throw new IllegalArgumentException("no layer is named " + name + ", there are " + names);
    }
    return names.indexOf(name);
  }

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
}
