package dev.colony.library.context;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.Blueprint;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.context.ContextLayer.Window;
import dev.colony.library.context.ContextTypes.ExtraLayer;
import dev.colony.library.context.ContextTypes.GoalLayer;
import dev.colony.library.context.ContextTypes.IdentityLayer;
import dev.colony.library.context.ContextTypes.MemoryLayer;
import dev.colony.library.context.ContextTypes.OutputFormatLayer;
import dev.colony.library.context.ContextTypes.RecentTableLayer;
import dev.colony.library.context.ContextTypes.SceneLayer;
import dev.colony.library.context.ContextTypes.TranscriptLayer;
import dev.colony.library.context.ContextTypes.VisitorLayer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What an agent in a role is shown, layer by layer, in the order of the prompt. Immutable; travels
 * as JSON. A role of one's own is a stock one with layers replaced, moved, added or left out.
 *
 * @param layers their slots differ
 */
public record ContextRole(String name, List<LayerBlueprint> layers) {

  public static final String IDENTITY = "identity";
  public static final String GOAL = "goal";
  public static final String SCENE = "scene";
  public static final String DISCUSSION = "discussion";
  public static final String MEMORY = "memory";
  public static final String VISITOR = "visitor";
  public static final String EXTRA = "extra";
  public static final String OUTPUT_FORMAT = "output-format";

  public ContextRole {
    Objects.requireNonNull(name, "name");
    layers = List.copyOf(layers);
    Set<String> slots = new HashSet<>();
    layers.forEach(layer -> {
      if (!slots.add(layer.slot())) {
        throw new IllegalArgumentException("two layers of " + name + " are named " + layer.slot());
      }
    });
  }

  /** One who reacts: shown the newest 8 lines of the discussion. */
  public static ContextRole worker() {
    return of("worker", Blueprint.bind(RecentTableLayer.class, new Window(8)));
  }

  /** One who rules: shown the whole discussion, up to its last 80 lines. */
  public static ContextRole judge() {
    return of("judge", Blueprint.bind(TranscriptLayer.class, new Window(80)));
  }

  private static ContextRole of(String name, Blueprint discussion) {
    return new ContextRole(
        name,
        List.of(
            unbounded(IDENTITY, Blueprint.bind(IdentityLayer.class)),
            unbounded(GOAL, Blueprint.bind(GoalLayer.class)),
            unbounded(SCENE, Blueprint.bind(SceneLayer.class)),
            unbounded(DISCUSSION, discussion),
            unbounded(MEMORY, Blueprint.bind(MemoryLayer.class, new Window(8))),
            unbounded(VISITOR, Blueprint.bind(VisitorLayer.class, new Window(3))),
            unbounded(EXTRA, Blueprint.bind(ExtraLayer.class)),
            unbounded(OUTPUT_FORMAT, Blueprint.bind(OutputFormatLayer.class))));
  }

  /** The same under another name. */
  public ContextRole named(String other) {
    return new ContextRole(other, layers);
  }

  /** Another layer in a slot, within the same budget. */
  public ContextRole replace(String slot, Blueprint layer) {
    AgentTypes.installed().find(ContextLayer.class, layer);
    return change(slot, old -> new LayerBlueprint(slot, layer, old.tokens()));
  }

  /** Another window for a slot that shows the newest lines. */
  public ContextRole window(String slot, int lines) {
    return change(
        slot,
        old -> {
          Class<? extends ContextLayer> type =
              AgentTypes.installed().find(ContextLayer.class, old.layer());
          return new LayerBlueprint(slot, Blueprint.bind(type, new Window(lines)), old.tokens());
        });
  }

  /** Another budget for a slot, 16 to 10,000,000 tokens. */
  public ContextRole budget(String slot, int tokens) {
    return change(slot, old -> new LayerBlueprint(slot, old.layer(), Optional.of(tokens)));
  }

  public ContextRole without(String slot) {
    at(slot);
    return new ContextRole(
        name, layers.stream().filter(layer -> !layer.slot().equals(slot)).toList());
  }

  /** One more layer, right before another. */
  public ContextRole before(String slot, String added, Blueprint layer) {
    AgentTypes.installed().find(ContextLayer.class, layer);
    List<LayerBlueprint> more = new ArrayList<>(layers);
    more.add(at(slot), unbounded(added, layer));
    return new ContextRole(name, more);
  }

  /** The same layers in another order; every slot is named once. */
  public ContextRole order(String... slots) {
    if (slots.length != layers.size()) {
      throw new IllegalArgumentException(
          name + " has the layers " + slots() + ", not " + List.of(slots));
    }
    return new ContextRole(name, Arrays.stream(slots).map(slot -> layers.get(at(slot))).toList());
  }

  private ContextRole change(String slot, UnaryOperator<LayerBlueprint> change) {
    List<LayerBlueprint> changed = new ArrayList<>(layers);
    changed.set(at(slot), change.apply(layers.get(at(slot))));
    return new ContextRole(name, changed);
  }

  private List<String> slots() {
    return layers.stream().map(LayerBlueprint::slot).toList();
  }

  private int at(String slot) {
    int at = slots().indexOf(slot);
    if (at < 0) {
      throw new IllegalArgumentException(
          name + " has no layer " + slot + ", but " + String.join(", ", slots()));
    }
    return at;
  }

  private static LayerBlueprint unbounded(String slot, Blueprint layer) {
    return new LayerBlueprint(slot, layer, Optional.empty());
  }

  /**
   * A layer as part of a role.
   *
   * @param slot names the place within the role, for example {@code discussion}
   * @param layer a registered {@link ContextLayer}
   * @param tokens what the section may take, 16 to 10,000,000; empty for as much as it needs
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record LayerBlueprint(String slot, Blueprint layer, Optional<Integer> tokens) {

    public LayerBlueprint {
      Objects.requireNonNull(slot, "slot");
      Objects.requireNonNull(layer, "layer");
      tokens = tokens == null ? Optional.empty() : tokens;
      tokens
          .filter(most -> most < 16 || most > 10_000_000)
          .ifPresent(most -> {
            throw new IllegalArgumentException(
                "the budget of " + slot + " is " + most + " tokens, but must be 16 to 10000000");
          });
    }
  }
}
