package dev.colony.blackboard.protocol;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The base of protocols in which a caller asks an agent for something: one request, events on the
 * way, one result, all named by an id that the asking side chooses.
 *
 * <pre>{@code
 * public final class ReviewProtocol extends RequestProtocol {
 *   public ReviewProtocol() {
 *     super("request:review:{agent}:{id}", "result:review:{id}", "event:review:{id}:{name}");
 *   }
 * }
 * }</pre>
 *
 * <p>On a scope of the agent's own, the request's key need not name the agent. On a shared scope it
 * does, so that an agent hears only what it is asked for itself; the caller hears all results.
 */
public abstract class RequestProtocol implements Protocol {

  private static final String AGENT = "agent";
  private static final String ID = "id";
  private static final String NAME = "name";

  /** An id and the name of one of its events. */
  public record ProgressKey(String id, String name) {}

  private final KeyTemplate request;
  private final KeyTemplate result;
  private final KeyTemplate event;

  /**
   * Takes the forms of its keys.
   *
   * @param request with the parts {@code id} and, on a shared scope, {@code agent}
   * @param result with the part {@code id}
   * @param event with the parts {@code id} and {@code name}
   * @throws IllegalArgumentException if a part is missing or unknown
   */
  protected RequestProtocol(String request, String result, String event) {
    this.request = template(request, List.of(ID), List.of(AGENT, ID));
    this.result = template(result, List.of(ID), List.of(ID));
    this.event = template(event, List.of(ID, NAME), List.of(ID, NAME));
  }

  private static KeyTemplate template(String text, List<String> least, List<String> most) {
    KeyTemplate template = KeyTemplate.of(text);
    if (!template.names().containsAll(least) || !most.containsAll(template.names())) {
      throw new IllegalArgumentException(
          "the key template \"%s\" must have the parts %s and may have %s"
              .formatted(text, least, most));
    }
    return template;
  }

  /**
   * The key of a request to an agent.
   *
   * @param agent the agent's name within its colony
   */
  public final String requestKey(String agent, String id) {
    return request.format(Map.of(AGENT, agent, ID, id));
  }

  public final String resultKey(String id) {
    return result.format(Map.of(ID, id));
  }

  public final String eventKey(String id, String name) {
    return event.format(Map.of(ID, id, NAME, name));
  }

  /** Matches the keys of all requests, to any agent. */
  public final KeyGlob requestPattern() {
    return request.pattern();
  }

  /** Matches the keys of all requests to an agent. */
  public final KeyGlob requestPattern(String agent) {
    return request.pattern(Map.of(AGENT, agent));
  }

  /** Matches the keys of all results. */
  public final KeyGlob resultPattern() {
    return result.pattern();
  }

  /** Matches the keys of all events on the way to one result. */
  public final KeyGlob eventPattern(String id) {
    return event.pattern(Map.of(ID, id));
  }

  /** The id, if this is the key of a request. */
  public final Optional<String> requestId(String key) {
    return request.parse(key).map(parts -> parts.get(ID));
  }

  /** The name of the agent that is asked, if this is the key of a request that names it. */
  public final Optional<String> requestedAgent(String key) {
    return request.parse(key).map(parts -> parts.get(AGENT));
  }

  /** The id, if this is the key of a result. */
  public final Optional<String> resultId(String key) {
    return result.parse(key).map(parts -> parts.get(ID));
  }

  /** The id and the event's name, if this is the key of an event. */
  public final Optional<ProgressKey> event(String key) {
    return event.parse(key).map(parts -> new ProgressKey(parts.get(ID), parts.get(NAME)));
  }

  /** The requests to the agent. */
  @Override
  public final List<KeyGlob> inputPatterns(String agent) {
    return List.of(requestPattern(agent));
  }
}
