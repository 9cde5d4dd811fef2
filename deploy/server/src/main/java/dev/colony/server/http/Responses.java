package dev.colony.server.http;

import dev.colony.client.wire.Problem;
import dev.colony.client.wire.WireJson;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpCharsets;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;

/** Answers as Pekko HTTP sends them. */
final class Responses {

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
        answer.status(), ContentTypes.APPLICATION_JSON, answer.body().toString(), answer.headers());
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

  static HttpResponse document(ApiResponse.Document answer) {
    return with(
        200,
        ContentTypes.create(MediaTypes.applicationBinary(answer.subtype(), true)),
        answer.text(),
        Map.of());
  }

  static HttpResponse problem(Problem problem, Map<String, String> headers) {
    return with(problem.status(), PROBLEM, WireJson.write(problem).toString(), headers);
  }

  private static HttpResponse with(
      int status, ContentType type, String text, Map<String, String> headers) {
    return with(
        HttpResponse.create()
            .withStatus(status)
            .withEntity(HttpEntities.create(type, text.getBytes(StandardCharsets.UTF_8)))
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
