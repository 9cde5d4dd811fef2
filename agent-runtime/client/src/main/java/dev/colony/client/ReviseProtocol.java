package dev.colony.client;

import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks an agent to live by another blueprint: {@code revise:{agent}} on its own scope. */
public final class ReviseProtocol implements Protocol {

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
