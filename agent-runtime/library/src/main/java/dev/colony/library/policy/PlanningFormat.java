package dev.colony.library.policy;

import dev.colony.agent.author.PolicySettings;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.policy.ActionCatalog.ActionNames;
import dev.colony.library.policy.PromptLayers.Placed;
import dev.colony.library.policy.PromptLayers.PromptLayer;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Turns a planning context into a prompt, layer by layer: the same context always gives the same
 * text. Tools and the system message are the same while the actions are; behind them stands what
 * the run was given, then what grows at its end, then what may be another each time, so that nearly
 * all of a prompt is the beginning of the next one.
 */
public final class PlanningFormat {

  /** The section, and its budget, of actions that may serve what is sought. */
  public static final String SERVING = "serving";

  private static final Pattern TOOL = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  private record Made(Placed placed, PromptLayer layer) {}

  private final List<Made> layers;
  private final PolicySettings settings;

  private PlanningFormat(List<Made> layers, PolicySettings settings) {
    this.layers = layers;
    this.settings = settings;
  }

  /**
   * The format of these layers.
   *
   * @param types that make them
   * @throws dev.colony.agent.AgentException if one is not registered, or cannot be made
   */
  public static PlanningFormat of(PromptLayers layers, PolicySettings settings, AgentTypes types) {
    return new PlanningFormat(
        layers.layers().stream()
            .map(one -> new Made(one, types.create(PromptLayer.class, one.layer(), types)))
            .toList(),
        settings);
  }

  /** The prompt that asks what is done next. */
  public PlanningPrompt format(PlanningContext context) {
    ActionTools actions =
        ActionTools.of(
            context.groups(),
            tools(context),
            context.result(),
            settings.prompt().actions(),
            settings.policy().twoPhaseAbove());
    List<PromptSection> sections = new ArrayList<>();
    for (Made one : layers) {
      Part part = one.layer().part();
      String name = one.placed().name();
      SectionRoom room =
          new SectionRoom(
              name,
              part,
              one.placed().tokens().orElse(settings.prompt().of(name)),
              PolicySettings.PREVIEW_CHARS);
      sections.addAll(one.layer().render(context, room));
    }
    sections.addAll(actions.sections());
    sections.addAll(
        actions.serving(
            context.sought(),
            new SectionRoom(
                SERVING, Part.GIVEN, settings.prompt().of(SERVING), PolicySettings.PREVIEW_CHARS)));
    return new PlanningPrompt(context.pages(), sections, actions);
  }

  /** Tools of their own have names as tools may have, also where the model calls functions. */
  private static ActionNames tools(PlanningContext context) {
    boolean fit =
        context.groups().stream()
            .flatMap(group -> group.actions().stream())
            .allMatch(action -> TOOL.matcher(context.names().of(action.key())).matches());
    return fit ? context.names() : ActionTools.names(context.groups());
  }
}
