package dev.colony.langchain4j;

import com.fasterxml.jackson.core.JacksonException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.provider.ModelProvider.End;
import dev.colony.inference.provider.ModelProvider.ErrorStatus;
import dev.colony.inference.provider.ModelProvider.Failed;
import dev.colony.langchain4j.BlockingHttpClient.ErrorStatusException;
import dev.langchain4j.exception.AuthenticationException;
import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.exception.UnresolvedModelServerException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** What LangChain4j throws, in the gateway's terms. */
final class Failures {

  private static final HttpHeaders UNKNOWN = HttpHeaders.of(Map.of(), (name, value) -> true);

  /** Causes may have each other as causes. */
  private static final int MOST_CAUSES = 16;

  private Failures() {}

  /** By the first of its causes that says what it is, of which an HTTP status says most. */
  static End of(Throwable failure) {
    List<Throwable> causes =
        Stream.iterate(failure, one -> one != null, Throwable::getCause)
            .limit(MOST_CAUSES)
            .toList();
    for (Throwable cause : causes) {
      if (cause instanceof HttpException status) {
        HttpHeaders headers = status instanceof ErrorStatusException own ? own.headers() : UNKNOWN;
        return new ErrorStatus(status.statusCode(), headers, words(status), failure);
      }
    }
    return causes.stream()
        .flatMap(cause -> known(cause).stream())
        .findFirst()
        .orElseGet(() -> new Failed(Kind.SERVER_ERROR, "failed: " + words(failure), failure));
  }

  private static Optional<Failed> known(Throwable cause) {
    String words = words(cause);
    Kind kind =
        switch (cause) {
          case AuthenticationException e -> Kind.REFUSED;
          case RateLimitException e -> Kind.OVERLOADED;
          case TimeoutException e -> Kind.TIMEOUT;
          case UnresolvedModelServerException e -> Kind.UNREACHABLE;
          case ContentFilteredException e -> Kind.BAD_REPLY;
          case NonRetriableException e -> Kind.REFUSED;
          case UnsupportedFeatureException e -> Kind.REFUSED;
          case HttpConnectTimeoutException e -> Kind.UNREACHABLE;
          case ConnectException e -> Kind.UNREACHABLE;
          case UnknownHostException e -> Kind.UNREACHABLE;
          case UnresolvedAddressException e -> Kind.UNREACHABLE;
          case HttpTimeoutException e -> Kind.TIMEOUT;
          case SSLException e -> Kind.REFUSED;
          case JacksonException e -> Kind.BAD_REPLY;
          case IOException e -> Kind.BROKEN_OFF;
          case IllegalArgumentException e -> Kind.REFUSED;
          default -> null;
        };
    return Optional.ofNullable(kind).map(one -> new Failed(one, said(one) + ": " + words, cause));
  }

  private static String said(Kind kind) {
    return switch (kind) {
      case UNREACHABLE -> "cannot be reached";
      case OVERLOADED -> "is overloaded";
      case TIMEOUT -> "gave no reply in time";
      case REFUSED -> "refuses the request";
      case BAD_REPLY -> "answered with something that is no reply";
      case BROKEN_OFF -> "broke off its reply";
      case SERVER_ERROR, REJECTED, EVICTED, QUOTA, OUT_OF_BUDGET, TOO_LONG -> "failed";
    };
  }

  private static String words(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }
}
