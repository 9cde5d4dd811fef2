package dev.colony.blackboard.protocol;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The keys of one run on an agent's scope: the request, the events on the way, the result. The
 * request is sent with {@link dev.colony.blackboard.Blackboard#send}; the result is written once.
 */
public final class AgentRunProtocol {

  private static final String REQUEST = "request:run:";
  private static final String RESULT = "result:run:";
  private static final String EVENT = "event:run:";
  private static final Pattern PART = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  /** A run's id and the name of one of its events. */
  public record RunEvent(String runId, String name) {}

  private AgentRunProtocol() {}

  /** {@code request:run:{id}} */
  public static String requestKey(String runId) {
    return REQUEST + part("run id", runId);
  }

  /** {@code result:run:{id}} */
  public static String resultKey(String runId) {
    return RESULT + part("run id", runId);
  }

  /** {@code event:run:{id}:{name}} */
  public static String eventKey(String runId, String name) {
    return EVENT + part("run id", runId) + ":" + part("event name", name);
  }

  /** Matches every request key. */
  public static String requestPattern() {
    return REQUEST + "*";
  }

  /** Matches the keys of all events of a run. */
  public static String eventPattern(String runId) {
    return EVENT + part("run id", runId) + ":*";
  }

  /** The run's id, if this is a request key. */
  public static Optional<String> requestId(String key) {
    return idAfter(REQUEST, key);
  }

  /** The run's id, if this is a result key. */
  public static Optional<String> resultId(String key) {
    return idAfter(RESULT, key);
  }

  /** The run's id and the event's name, if this is an event key. */
  public static Optional<RunEvent> event(String key) {
    if (!key.startsWith(EVENT)) {
      return Optional.empty();
    }
    String[] parts = key.substring(EVENT.length()).split(":", -1);
    return parts.length == 2 && valid(parts[0]) && valid(parts[1])
        ? Optional.of(new RunEvent(parts[0], parts[1]))
        : Optional.empty();
  }

  private static Optional<String> idAfter(String prefix, String key) {
    return Optional.of(key)
        .filter(candidate -> candidate.startsWith(prefix))
        .map(candidate -> candidate.substring(prefix.length()))
        .filter(AgentRunProtocol::valid);
  }

  private static boolean valid(String part) {
    return PART.matcher(part).matches();
  }

  private static String part(String name, String part) {
    if (!valid(part)) {
      throw new IllegalArgumentException(
          name + " must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, but is: " + part);
    }
    return part;
  }
}
