package dev.colony.examples.debate;

import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.ActionExecutor;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import dev.colony.agent.capability.Param;
import dev.colony.agent.context.ContextSettings;
import dev.colony.agent.context.Stage;
import dev.colony.agent.context.StageEvent;
import dev.colony.agent.context.StageKind;
import dev.colony.agent.context.StageProjection;
import java.util.List;
import java.util.Optional;

/** A place on a stage: what is said there is heard by all who stand on it. */
@Registered(value = "example.stage", summary = "Speaks and rules before all on the stage.")
public final class StageCapability extends AgentCapability {

  private final Stage stage;

  public StageCapability(CapabilityContext context) {
    super(context);
    this.stage = new Stage(blackboard(), ContextSettings.DEFAULTS);
  }

  StageProjection project() {
    return stage.project();
  }

  @ActionExecutor(summary = "Says a line aloud; everyone on the stage hears it.")
  String speak(
      @Param("the line") String line,
      @Param("what you think of it and keep to yourself") Optional<String> thought) {
    thought.ifPresent(text -> stage.enter(StageKind.THOUGHT, me(), text));
    enterOnce(StageKind.SPOKE, line, project().publicSpeech());
    return line;
  }

  @ActionExecutor(summary = "Rules on the debate; everyone on the stage hears it.")
  String rule(@Param("who has won, and why") String verdict) {
    enterOnce(StageKind.VERDICT, verdict, project().witnessedBy(me()));
    return verdict;
  }

  /** An action may be executed again after a crash: the line that it said then is enough. */
  private void enterOnce(StageKind kind, String text, List<StageEvent> said) {
    boolean last =
        !said.isEmpty()
            && said.getLast().kind() == kind
            && said.getLast().actor().equals(me())
            && said.getLast().text().equals(text);
    if (!last) {
      stage.enter(kind, me(), text);
    }
  }

  private String me() {
    return agent().id().name();
  }
}
