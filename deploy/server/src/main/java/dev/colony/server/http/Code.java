package dev.colony.server.http;

import dev.colony.client.wire.Problem;
import java.util.Locale;
import java.util.Optional;

/** What can be wrong with a request before anything is done about it, beside what domains say. */
enum Code {
  BAD_REQUEST(400, "The request is not what it should be", false),
  MALFORMED(400, "The body is no JSON", false),
  NO_KEY(401, "There is no valid key", false),
  FORBIDDEN(403, "The key does not reach that", false),
  NOT_FOUND(404, "There is no such thing", false),
  METHOD_NOT_ALLOWED(405, "The path takes other methods", false),
  RUN_LOST(410, "The run may be among what the store has lost", false),
  REQUEST_TIMEOUT(408, "The request did not come in time", true),
  TOO_LARGE(413, "The request is too large", false),
  UNSUPPORTED_MEDIA_TYPE(415, "The body is not JSON", false),
  FOREIGN_HOST(421, "This server is not called that", false),
  TOO_MANY_REQUESTS(429, "Requests come too fast", true),
  HEADERS_TOO_LARGE(431, "The headers are too large", false),
  URI_TOO_LONG(414, "The URI is too long", false),
  TIMEOUT(503, "No answer in time", true);

  /** That of {@link #MALFORMED}. */
  static final String NO_JSON = "malformed";

  private final int status;
  private final String title;
  private final boolean retryable;

  Code(int status, String title, boolean retryable) {
    this.status = status;
    this.title = title;
    this.retryable = retryable;
  }

  int status() {
    return status;
  }

  Problem problem(String detail) {
    return new Problem(
        status,
        name().toLowerCase(Locale.ROOT).replace('_', '-'),
        title,
        detail,
        retryable,
        Optional.empty());
  }

  /** The one for a status that the HTTP parser came to by itself. */
  static Code of(int status) {
    for (Code code : values()) {
      if (code.status == status) {
        return code;
      }
    }
    return BAD_REQUEST;
  }
}
