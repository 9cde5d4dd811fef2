package dev.colony.client.http;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.client.wire.Problem;
import dev.colony.schema.JsonValues;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What the API answered to a call.
 *
 * @param from where it was asked, for people
 * @param retryAfter how long the server wants to be left alone
 */
record ApiAnswer(String from, int status, byte[] body, Optional<Duration> retryAfter) {

  private static final Set<Integer> PASSING = Set.of(408, 425, 429, 502, 503, 504);
  private static final long MOST_SECONDS = 60;

  static ApiAnswer of(HttpResponse<?> response, byte[] body) {
    return new ApiAnswer(
        response.uri().toString(),
        response.statusCode(),
        body,
        response
            .headers()
            .firstValue("Retry-After")
            .filter(seconds -> seconds.matches("\\d{1,9}"))
            .map(seconds -> Duration.ofSeconds(Math.min(Long.parseLong(seconds), MOST_SECONDS))));
  }

  boolean done() {
    return status / 100 == 2;
  }

  /** Whether the same call may be answered otherwise later. */
  boolean passing() {
    return !done() && problem().retryable();
  }

  /** Whether there is no such thing. */
  boolean absent() {
    return status == 404 || status == 410 && problem().code().equals(Problem.RUN_LOST);
  }

  /**
   * @throws AgentException if it is no JSON
   */
  JsonNode json() {
    return parse()
        .orElseThrow(() ->
            AgentException.refused(
                from + " answered " + status + " with something else than JSON"));
  }

  /** Of an answer that is not {@link #done}; also where something on the way has answered. */
  Problem problem() {
    boolean passing = PASSING.contains(status);
    return parse()
        .filter(json -> json.hasNonNull("code"))
        .map(Problem::fromJson)
        .map(told -> passing && !told.retryable() ? again(told) : told)
        .orElseGet(() ->
            new Problem(
                status,
                "http-" + status,
                "HTTP " + status,
                from + " answered " + status,
                passing,
                Optional.empty()));
  }

  private static Problem again(Problem told) {
    return new Problem(
        told.status(), told.code(), told.title(), told.detail(), true, told.reason());
  }

  private Optional<JsonNode> parse() {
    try {
      return Optional.of(JsonValues.parse(body)).filter(json -> !json.isMissingNode());
    } catch (JacksonException none) {
      return Optional.empty();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
