package dev.colony.client;

import dev.colony.agent.RunId;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The keys of what agents are told about their runs and their blueprints. */
final class RunSignals {

  private RunSignals() {}

  /**
   * Asks an agent to cancel a run: {@code cancel:run:{id}} on the run's own part of the agent's
   * scope, where its request and its result stand. Sent with {@link
   * dev.colony.blackboard.Blackboard#send}; asking twice is asking once, and asking after the run's
   * end changes nothing.
   */
  static final class CancelRunProtocol implements Protocol {

    private static final String ID = "id";

    private static final KeyTemplate CANCEL = KeyTemplate.of("cancel:run:{id}");

    public String cancelKey(String runId) {
      return CANCEL.format(Map.of(ID, runId));
    }

    /** The run's id, if this is the key of such a request. */
    public Optional<String> cancelledId(String key) {
      return CANCEL.parse(key).map(parts -> parts.get(ID));
    }

    @Override
    public List<KeyGlob> inputPatterns(String agent) {
      return List.of(CANCEL.pattern());
    }
  }

  /** Asks an agent to live by another blueprint: {@code revise:{agent}} on its own scope. */
  static final class ReviseProtocol implements Protocol {

    private static final String AGENT = "agent";

    private static final KeyTemplate REVISE = KeyTemplate.of("revise:{agent}");

    public String reviseKey(String agent) {
      return REVISE.format(Map.of(AGENT, agent));
    }

    /** The agent's name, if this is the key of such a request. */
    public Optional<String> revised(String key) {
      return REVISE.parse(key).map(parts -> parts.get(AGENT));
    }

    @Override
    public List<KeyGlob> inputPatterns(String agent) {
      return List.of(REVISE.pattern(Map.of(AGENT, agent)));
    }
  }

  /** Asks an agent to execute a run again: {@code rewind:run:{id}} on its own scope. */
  static final class RewindProtocol implements Protocol {

    private static final String ID = "id";

    private static final KeyTemplate REWIND = KeyTemplate.of("rewind:run:{id}");

    public String rewindKey(RunId run) {
      return REWIND.format(Map.of(ID, run.value()));
    }

    /** The run, if this is the key of such a request. */
    public Optional<RunId> rewound(String key) {
      return REWIND.parse(key).map(parts -> new RunId(parts.get(ID)));
    }

    @Override
    public List<KeyGlob> inputPatterns(String agent) {
      return List.of(REWIND.pattern());
    }
  }
}
