package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.client.wire.WireJson;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** What a call is answered. */
sealed interface Answer {

  /** Something that is there. */
  record Json(int status, JsonNode body, Map<String, String> headers) implements Answer {}

  /** It is stored, and whom it concerns takes it soon. */
  record Stored() implements Answer {}

  /** A text of ours, of the media type {@code application/SUBTYPE}. */
  record Document(String subtype, String text) implements Answer {}

  /**
   * A stream of events; each failure of it becomes its last event.
   *
   * @param begin the place to come back to before any event; empty where that is the beginning
   * @param ends whether there is no more to come where it completes
   */
  record Events<T>(
      Optional<String> begin, Flow.Publisher<T> events, Function<T, ServerEvent> form, boolean ends)
      implements Answer {}

  /** What is not there yet; nothing is held for it meanwhile. */
  record Later(CompletionStage<Answer> answer) implements Answer {}

  /** A view, as {@link WireJson} writes it. */
  static Answer ok(Object view) {
    return new Json(200, WireJson.write(view), Map.of());
  }
}
