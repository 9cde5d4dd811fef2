package dev.colony.server.http;

import java.util.Map;
import java.util.regex.Pattern;
import org.apache.pekko.event.LoggingAdapter;
import org.apache.pekko.http.ParsingErrorHandler;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.scaladsl.model.ErrorInfo;
import org.apache.pekko.http.scaladsl.model.StatusCode;
import org.apache.pekko.http.scaladsl.settings.ServerSettings;

/**
 * Answers what is no HTTP request, or too large a one, as everything else is answered. Its name
 * stands in the server's settings.
 */
final class ParserProblems extends ParsingErrorHandler {

  /** The parser says 400 of too many headers: only its words tell them from a malformed head. */
  private static final Pattern TOO_MANY =
      Pattern.compile("more than the configured limit of \\d+ headers");

  @Override
  public HttpResponse handle(
      StatusCode status, ErrorInfo error, LoggingAdapter log, ServerSettings settings) {
    Code code =
        TOO_MANY.matcher(error.formatPretty()).find()
            ? Code.HEADERS_TOO_LARGE
            : Code.of(status.intValue());
    return Responses.problem(code.problem(error.summary()), Map.of());
  }
}
