package dev.colony.replica;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What goes wrong on purpose with chat completions, for tests of clients: one fault at a time, for
 * a number of calls. {@code GET}, {@code PUT} and {@code DELETE /colony/faults} tell, set and end
 * it, where the settings allow that. Thread-safe.
 */
final class Faults {

  /** What a call meets. */
  enum Kind {
    /** None. */
    NONE,
    /** The connection closes before a reply. */
    REFUSE,
    /** Status 429. */
    RATE_LIMIT,
    /** Status 500. */
    ERROR,
    /** Status 200 with bytes that are no JSON. */
    GARBAGE,
    /** The reply ends in the middle of its JSON; of a stream, in the middle of an event's. */
    HALF_JSON,
    /** No token comes; a stream has its headers, another reply has nothing. */
    HANG,
    /** Nothing more comes after some pieces of a stream, or half of another reply. */
    HANG_BETWEEN,
    /** The connection closes after some pieces of a stream, or half of another reply. */
    DIE,
    /** The usage contradicts itself and the reply. */
    WRONG_USAGE,
    /** The bytes of the reply's head come one by one. */
    SLOW_HEADERS;

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Kind of(String word) {
      return Arrays.stream(values())
          .filter(kind -> kind.word().equals(word))
          .findFirst()
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "kind = "
                      + word
                      + " is none, allowed is one of "
                      + Arrays.stream(values()).map(Kind::word).toList()));
    }
  }

  /**
   * A fault.
   *
   * @param times how many calls meet it; 0 for all
   * @param after pieces of a stream before it shows
   * @param retryAfterSeconds sent with status 429; -1 for none
   * @param delayMillis between the bytes of slow headers
   */
  record Fault(Kind kind, int times, int after, int retryAfterSeconds, int delayMillis) {

    static final Fault NONE = new Fault(Kind.NONE, 0, 1, -1, 0);

    Fault {
      within("times", times, 0, Integer.MAX_VALUE);
      within("after", after, 0, Integer.MAX_VALUE);
      within("retry_after_seconds", retryAfterSeconds, -1, 86_400);
      within("delay_millis", delayMillis, 0, 60_000);
    }

    private static void within(String name, int value, int min, int max) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(
            "%s = %d is out of range, allowed is %d to %d".formatted(name, value, min, max));
      }
    }

    private static Fault parse(byte[] body) throws ApiError {
      try {
        JsonNode root = Exchange.JSON.readTree(body);
        return new Fault(
            Kind.of(root.path("kind").asText("")),
            root.path("times").asInt(0),
            root.path("after").asInt(1),
            root.path("retry_after_seconds").asInt(-1),
            root.path("delay_millis").asInt(50));
      } catch (JsonProcessingException e) {
        throw ApiError.invalid(null, "the body is not JSON: " + e.getOriginalMessage());
      } catch (IOException | IllegalArgumentException e) {
        throw ApiError.invalid(null, e.getMessage());
      }
    }

    private ObjectNode json(int left) {
      return Exchange.JSON
          .createObjectNode()
          .put("kind", kind.word())
          .put("times", left)
          .put("after", after)
          .put("retry_after_seconds", retryAfterSeconds)
          .put("delay_millis", delayMillis);
    }
  }

  private final boolean controlled;
  private Fault fault = Fault.NONE;
  private int left;

  /**
   * @param controlled whether it is told, set and ended over HTTP
   */
  Faults(boolean controlled) {
    this.controlled = controlled;
  }

  /** The fault that the next call meets. */
  synchronized Fault next() {
    Fault met = fault;
    if (met.kind() != Kind.NONE && met.times() > 0 && --left == 0) {
      fault = Fault.NONE;
    }
    return met;
  }

  void control(Exchange exchange) throws ApiError, IOException, InterruptedException {
    if (!controlled) {
      throw ApiError.notFound(exchange.path());
    }
    Optional<Fault> wanted =
        switch (exchange.method()) {
          case "GET" -> Optional.empty();
          case "PUT" -> Optional.of(Fault.parse(exchange.body()));
          case "DELETE" -> Optional.of(Fault.NONE);
          default -> {
            exchange.header("Allow", "GET, PUT, DELETE");
            throw ApiError.method(exchange.path() + " takes GET, PUT and DELETE");
          }
        };
    ObjectNode now;
    synchronized (this) {
      wanted.ifPresent(one -> {
        fault = one;
        left = one.times();
      });
      now = fault.json(left);
    }
    exchange.json(200, now);
  }
}
