package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How a running action is paused, resumed and cancelled from outside: the entry {@code
 * control:action:{run}:{action}} in the agent's own scope, with the control's word as its value.
 * The last write counts. It reaches an action that has run for two seconds or has come to a pause
 * point; an action that has ended passes it over.
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

  /** What a caller may tell an action that is running. */
  public enum ActionControl {
    /** Stop at your next pause point and wait there; the time until you go on is not counted. */
    PAUSE,
    /** Go on. */
    RESUME,
    /** End; what you have done until now stays done. */
    CANCEL;

    /** How it stands in an entry. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Reads {@link #word} back; empty for anything else. */
    static Optional<ActionControl> of(JsonNode value) {
      return Arrays.stream(values())
          .filter(control -> control.word().equals(value.asText()))
          .findFirst();
    }
  }
}
