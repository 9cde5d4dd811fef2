package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.client.wire.Problem;
import dev.colony.client.wire.WireJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpCharsets;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;
import org.apache.pekko.stream.javadsl.Source;
import org.reactivestreams.FlowAdapters;

/** What a call is answered. */
sealed interface ApiResponse {

  /** Something that is there. */
  record Json(int status, JsonNode body, Map<String, String> headers) implements ApiResponse {}

  /** It is stored, and whom it concerns takes it soon. */
  record Stored() implements ApiResponse {}

  /** A text of ours, of the media type {@code application/SUBTYPE}. */
  record Document(String subtype, String text) implements ApiResponse {}

  /** A file of ours, of a type that browsers know; text is UTF-8. */
  record Asset(String mediaType, byte[] bytes, Map<String, String> headers)
      implements ApiResponse {}

  /**
   * A stream of events; each failure of it becomes its last event.
   *
   * @param begin the place to come back to before any event; empty where that is the beginning
   * @param ends whether there is no more to come where it completes
   * @param failed the last event where it fails
   * @param abandoned run where its client is not there to its end, or may not read it; blocks
   */
  record Events<T>(
      Optional<String> begin,
      Source<T, NotUsed> events,
      Function<T, ServerEvent> form,
      boolean ends,
      Function<Problem, ServerEvent> failed,
      Runnable abandoned)
      implements ApiResponse {

    /** One whose failure is told as a problem. */
    Events(
        Optional<String> begin,
        Flow.Publisher<T> events,
        Function<T, ServerEvent> form,
        boolean ends) {
      this(
          begin,
          Source.fromPublisher(FlowAdapters.toPublisher(events)),
          form,
          ends,
          problem -> new ServerEvent("", ServerEvent.PROBLEM, WireJson.write(problem)),
          () -> {});
    }
  }

  /**
   * A reply that comes whole, in its protocol's form.
   *
   * @param result cancelled where the client goes
   * @param failed the body where it fails after its status was sent
   */
  record Whole<T>(
      CompletableFuture<T> result,
      Function<T, JsonNode> form,
      Function<OpenAiError, JsonNode> failed,
      Map<String, String> headers)
      implements ApiResponse {}

  /**
   * A reply that comes in parts, in its protocol's form.
   *
   * @param parts its subscription is cancelled where the client goes
   * @param form the bytes of the events that a part makes
   * @param failed those of the last events where it fails after some were sent
   */
  record Parts<T>(
      Source<T, NotUsed> parts,
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

  /**
   * An event of a stream (WHATWG HTML, server-sent events).
   *
   * @param id the place to come back to; no line break in it
   * @param name {@link #PROGRESS}, {@link #PART}, {@link #END}, {@link #PROBLEM} or {@link
   *     #MESSAGE}
   */
  record ServerEvent(String id, String name, JsonNode data) {

    /** Something has happened. */
    static final String PROGRESS = "progress";

    /** More of what a model is answering. */
    static final String PART = "part";

    /** The last one: there is nothing to come back for. */
    static final String END = "end";

    /** The last one: why there are no more. */
    static final String PROBLEM = "problem";

    /** A message of the Model Context Protocol. */
    static final String MESSAGE = "message";

    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.UTF_8);

    boolean last() {
      return name.equals(END) || name.equals(PROBLEM);
    }

    byte[] bytes() {
      // JSON has no line break outside of its strings, and there it is escaped.
      return (place(id) + "event: " + name + "\ndata: " + data + "\n\n")
          .getBytes(StandardCharsets.UTF_8);
    }

    static byte[] heartbeat() {
      return HEARTBEAT.clone();
    }

    static byte[] begin(String id) {
      return (place(id) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String place(String id) {
      return id.isEmpty() ? "" : "id: " + id + "\n";
    }
  }

  static final class Responses {

    private static final ContentType PROBLEM =
        MediaTypes.customWithFixedCharset(
                "application",
                Problem.MEDIA_TYPE.substring("application/".length()),
                HttpCharsets.UTF_8,
                Map.of(),
                false)
            .toContentType();

    private Responses() {}

    static HttpResponse json(ApiResponse.Json answer) {
      return with(
          answer.status(),
          ContentTypes.APPLICATION_JSON,
          answer.body().toString(),
          answer.headers());
    }

    static HttpResponse stored() {
      return HttpResponse.create().withStatus(202);
    }

    /** What a stream of events begins with, without one being opened. */
    static HttpResponse headOfEvents() {
      return with(200, MediaTypes.TEXT_EVENT_STREAM.toContentType(), "", Map.of());
    }

    /**
     * @param allow which methods the path takes
     */
    static HttpResponse options(Map<String, String> allow) {
      return with(HttpResponse.create().withStatus(204), allow);
    }

    static HttpResponse elsewhere(String path) {
      return with(HttpResponse.create().withStatus(302), Map.of("Location", path));
    }

    static HttpResponse document(ApiResponse.Document answer) {
      return with(
          200,
          ContentTypes.create(MediaTypes.applicationBinary(answer.subtype(), true)),
          answer.text(),
          Map.of());
    }

    static HttpResponse asset(ApiResponse.Asset answer) {
      ContentType type =
          ContentTypes.parse(
              answer.mediaType()
                  + (answer.mediaType().startsWith("text/") ? "; charset=UTF-8" : ""));
      return with(200, type, answer.bytes(), answer.headers());
    }

    static HttpResponse problem(Problem problem, Map<String, String> headers) {
      return with(problem.status(), PROBLEM, WireJson.write(problem).toString(), headers);
    }

    private static HttpResponse with(
        int status, ContentType type, String text, Map<String, String> headers) {
      return with(status, type, text.getBytes(StandardCharsets.UTF_8), headers);
    }

    private static HttpResponse with(
        int status, ContentType type, byte[] bytes, Map<String, String> headers) {
      return with(
          HttpResponse.create()
              .withStatus(status)
              .withEntity(HttpEntities.create(type, bytes))
              .addHeader(RawHeader.create("Cache-Control", "no-store")),
          headers);
    }

    private static HttpResponse with(HttpResponse answer, Map<String, String> headers) {
      HttpResponse response = answer;
      for (Map.Entry<String, String> header : headers.entrySet()) {
        response = response.addHeader(RawHeader.create(header.getKey(), header.getValue()));
      }
      return response;
    }
  }
}
