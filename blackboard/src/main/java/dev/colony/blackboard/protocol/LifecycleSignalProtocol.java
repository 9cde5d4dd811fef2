package dev.colony.blackboard.protocol;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Signals to one agent, {@code signal:agent:{agent}:{signal}}, or to all that share the scope,
 * {@code signal:all:{signal}}. Giving a signal is writing its entry, with any value; each write is
 * one signal, and the order of two signals is that of their positions. What the entry holds is the
 * last one of its kind.
 */
public final class LifecycleSignalProtocol implements Protocol {

  private static final String AGENT = "agent";
  private static final String SIGNAL = "signal";

  private static final KeyTemplate TO_ONE = KeyTemplate.of("signal:agent:{agent}:{signal}");
  private static final KeyTemplate TO_ALL = KeyTemplate.of("signal:all:{signal}");

  /**
   * A signal that was given.
   *
   * @param agent to whom; empty for all
   */
  public record Given(LifecycleSignal signal, Optional<String> agent) {}

  public String signalKey(String agent, LifecycleSignal signal) {
    return TO_ONE.format(Map.of(AGENT, agent, SIGNAL, signal.word()));
  }

  public String signalKeyToAll(LifecycleSignal signal) {
    return TO_ALL.format(Map.of(SIGNAL, signal.word()));
  }

  /** Empty if this is no key of a signal, or of one that this version does not know. */
  public Optional<Given> signal(String key) {
    return TO_ONE
        .parse(key)
        .or(() -> TO_ALL.parse(key))
        .flatMap(parts ->
            LifecycleSignal.of(parts.get(SIGNAL))
                .map(signal -> new Given(signal, Optional.ofNullable(parts.get(AGENT)))));
  }

  /** The signals to the agent and those to all. */
  @Override
  public List<KeyGlob> inputPatterns(String agent) {
    return List.of(TO_ONE.pattern(Map.of(AGENT, agent)), TO_ALL.pattern());
  }
}
