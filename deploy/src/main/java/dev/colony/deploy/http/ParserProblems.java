package dev.colony.deploy.http;

import java.util.Map;
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

  @Override
  public HttpResponse handle(
      StatusCode status, ErrorInfo error, LoggingAdapter log, ServerSettings settings) {
    return Responses.problem(Code.of(status.intValue()).problem(error.summary()), Map.of());
  }
}
