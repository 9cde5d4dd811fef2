package dev.colony.cli.chaos;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;

/** What the agents are asked to do: a fixed number of steps, each an action of a fixed kind. */
final class Errand {

  /** What a step does to the world. */
  enum Kind {
    /** Nothing. */
    NOTE,
    /** Something that may be repeated under the same key. */
    SEND,
    /** Something that must not happen twice. */
    PAY
  }

  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of(ErrandTypes.RUNNER))
          .capability(CapabilityBlueprint.of(Blueprint.of(ErrandTypes.HANDS)).key("hands"));

  static final String NAMESPACE = "chaos";

  private Errand() {}

  static Kind kind(int step) {
    return Kind.values()[step % Kind.values().length];
  }

  /** The id of a step's action. */
  static String actionId(int step) {
    return "s" + step;
  }

  /**
   * The input of a run.
   *
   * @param port of the {@link DeedServer}
   */
  static ObjectNode input(String run, int steps, int port) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("run", run)
        .put("steps", steps)
        .put("port", port);
  }
}
