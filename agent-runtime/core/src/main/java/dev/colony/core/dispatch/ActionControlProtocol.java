package dev.colony.core.dispatch;

import dev.colony.agent.RunId;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How a running action is paused, resumed and cancelled from outside: the entry {@code
 * control:action:{run}:{action}} in the agent's own scope, with the control's word as its value.
 * The last write counts. It reaches an action that has run for {@code
 * colony.agent.action.control-after} or has come to a pause point; an action that has ended passes
 * it over.
 */
public final class ActionControlProtocol implements Protocol {

  private static final String RUN = "run";
  private static final String ACTION = "action";

  /** An entry whose action never reads it goes by itself. */
  private static final Duration KEPT = Duration.ofDays(1);

  private static final KeyTemplate TEMPLATE = KeyTemplate.of("control:action:{run}:{action}");

  public String controlKey(RunId run, String actionId) {
    return TEMPLATE.format(Map.of(RUN, run.value(), ACTION, actionId));
  }

  /** What is to be written in the agent's scope. */
  public Write give(RunId run, String actionId, ActionControl control) {
    return Write.value(controlKey(run, actionId), control.word()).ttl(KEPT);
  }

  /** The controls of all actions: they are the agent's own, whatever its name is. */
  @Override
  public List<KeyGlob> inputPatterns(String agent) {
    return List.of(TEMPLATE.pattern());
  }
}
