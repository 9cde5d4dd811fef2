package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.client.wire.Problem;
import dev.colony.client.wire.WireJson;
import dev.colony.server.openai.OpenAiError;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** What a call is answered. */
sealed interface ApiResponse {

  /** Something that is there. */
  record Json(int status, JsonNode body, Map<String, String> headers) implements ApiResponse {}

  /** It is stored, and whom it concerns takes it soon. */
  record Stored() implements ApiResponse {}

  /** A text of ours, of the media type {@code application/SUBTYPE}. */
  record Document(String subtype, String text) implements ApiResponse {}

  /**
   * A stream of events; each failure of it becomes its last event.
   *
   * @param begin the place to come back to before any event; empty where that is the beginning
   * @param ends whether there is no more to come where it completes
   * @param failed the last event where it fails
   */
  record Events<T>(
      Optional<String> begin,
      Flow.Publisher<T> events,
      Function<T, ServerEvent> form,
      boolean ends,
      Function<Problem, ServerEvent> failed)
      implements ApiResponse {

    /** One whose failure is told as a problem. */
    Events(
        Optional<String> begin,
        Flow.Publisher<T> events,
        Function<T, ServerEvent> form,
        boolean ends) {
      this(
          begin,
          events,
          form,
          ends,
          problem -> new ServerEvent("", ServerEvent.PROBLEM, WireJson.write(problem)));
    }
  }

  /**
   * A reply that comes whole, in OpenAI's form.
   *
   * @param result cancelled where the client goes
   */
  record Whole<T>(
      CompletableFuture<T> result, Function<T, JsonNode> form, Map<String, String> headers)
      implements ApiResponse {}

  /**
   * A reply that comes in parts, in OpenAI's form.
   *
   * @param parts its subscription is cancelled where the client goes
   * @param form the bytes of the events that a part makes
   * @param failed those of the last events where it fails after some were sent
   */
  record Parts<T>(
      Flow.Publisher<T> parts,
      Function<T, List<byte[]>> form,
      Function<OpenAiError, List<byte[]>> failed,
      Map<String, String> headers)
      implements ApiResponse {}

  /** What is not there yet; nothing is held for it meanwhile. */
  record Later(CompletionStage<ApiResponse> answer) implements ApiResponse {}

  /** A view, as {@link WireJson} writes it. */
  static ApiResponse ok(Object view) {
    return new Json(200, WireJson.write(view), Map.of());
  }
}
