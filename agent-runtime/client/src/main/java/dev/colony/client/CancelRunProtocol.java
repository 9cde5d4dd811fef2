package dev.colony.client;

import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks an agent to cancel a run: {@code cancel:run:{id}} on the run's own part of the agent's
 * scope, where its request and its result stand. Sent with {@link
 * dev.colony.blackboard.Blackboard#send}; asking twice is asking once, and asking after the run's
 * end changes nothing.
 */
public final class CancelRunProtocol implements Protocol {

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
