package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.client.wire.Problem;
import dev.colony.core.dispatch.Backoff;
import dev.colony.server.NotFoundException;
import dev.colony.server.Principal;
import dev.colony.server.http.ApiResponse.Responses;
import dev.colony.server.http.Endpoint.EndpointTable;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import java.time.DateTimeException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.pekko.event.LoggingAdapter;
import org.apache.pekko.http.ParsingErrorHandler;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.scaladsl.model.ErrorInfo;
import org.apache.pekko.http.scaladsl.model.StatusCode;
import org.apache.pekko.http.scaladsl.settings.ServerSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place where failures become what a caller is told; faults of ours are logged here. */
final class Problems {

  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  /** Seconds after which a call that may succeed later is worth repeating. */
  private static final String RETRY_AFTER = "1";

  private Problems() {}

  record Answered(Problem problem, Map<String, String> headers) {}

  static Answered of(Throwable failure) {
    return switch (Backoff.cause(failure)) {
      case Refusal refusal -> new Answered(refusal.problem(), refusal.headers());
      case NotFoundException absent -> plain(Code.NOT_FOUND.problem(absent.getMessage()));
      case IllegalArgumentException wrong -> unreadable(wrong);
      case DateTimeException wrong -> unreadable(wrong);
      case Throwable other -> {
        Problem problem = Problem.of(other);
        if (problem.code().equals(Problem.INTERNAL)) {
          LOG.error("a request failed by a fault of ours", other);
        }
        yield plain(problem);
      }
    };
  }

  /** What fails by the caller's input is the caller's to mend. */
  private static Answered unreadable(RuntimeException wrong) {
    String own = Optional.ofNullable(wrong.getMessage()).orElse("it cannot be read");
    return plain(
        Code.BAD_REQUEST.problem(
            BodyFault.words(wrong).orElseGet(() -> own.lines().findFirst().orElse(""))));
  }

  private static Answered plain(Problem problem) {
    return new Answered(
        problem, problem.retryable() ? Map.of("Retry-After", RETRY_AFTER) : Map.of());
  }

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
    TIMEOUT(503, "No answer in time", true),
    UNVERIFIED(503, "The token cannot be checked now", true);

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

  /** A request that is not carried out, and what its caller is told. */
  static final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final transient Map<String, String> headers;

    private Refusal(Problem problem, Map<String, String> headers) {
      super(problem.detail(), null, false, false);
      this.problem = problem;
      this.headers = headers;
    }

    static Refusal of(Code code, String detail) {
      return of(code, detail, Map.of());
    }

    static Refusal foreign(Principal principal) {
      return of(
          Code.FORBIDDEN,
          "%s is of tenant %s only".formatted(principal.title(), principal.tenant()));
    }

    static Refusal of(Code code, String detail, Map<String, String> headers) {
      return new Refusal(code.problem(detail), headers);
    }

    Problem problem() {
      return problem;
    }

    /** Beside that of the problem itself. */
    Map<String, String> headers() {
      return headers;
    }
  }

  /** What is wrong with a body, in the words of JSON: its reader speaks of classes. */
  private static final class BodyFault {

    private BodyFault() {}

    /** One line, with the path of the field; empty where the reader's own words will do. */
    static Optional<String> words(Throwable failure) {
      for (Throwable one = failure; one != null; one = one.getCause()) {
        if (one instanceof UnrecognizedPropertyException unknown) {
          return Optional.of("there is no field " + path(unknown));
        }
        if (one instanceof MismatchedInputException wrong) {
          return Optional.of(where(wrong) + "must be " + kind(wrong));
        }
      }
      return Optional.empty();
    }

    private static String where(JsonMappingException wrong) {
      return wrong.getPath().isEmpty() ? "the body " : path(wrong) + " ";
    }

    private static String path(JsonMappingException wrong) {
      return wrong.getPath().stream()
          .map(step ->
              step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
          .collect(Collectors.joining("."));
    }

    private static String kind(MismatchedInputException wrong) {
      Class<?> type = wrong.getTargetType() == null ? Object.class : wrong.getTargetType();
      if (CharSequence.class.isAssignableFrom(type)) {
        return "text";
      }
      if (type == boolean.class || type == Boolean.class) {
        return "true or false";
      }
      if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
        return "a number";
      }
      return "of another kind; /v1/openapi.yaml says of which";
    }
  }

  /** In which form a caller is told what went wrong: that of the protocol that it speaks. */
  enum ErrorForm {
    /** RFC 9457. */
    PROBLEM {
      @Override
      Told told(Throwable failure) {
        Problems.Answered told = Problems.of(failure);
        return new Told(told.problem().code(), Responses.problem(told.problem(), told.headers()));
      }
    },

    /** OpenAI's API, of which not all paths are served. */
    OPENAI {
      @Override
      Told told(Throwable failure) {
        OpenAiError error = ModelReplies.error(failure);
        return new Told(error.code(), ModelReplies.response(error, error.toJson()));
      }
    },

    /** Anthropic's messages. */
    ANTHROPIC {
      @Override
      Told told(Throwable failure) {
        OpenAiError error = ModelReplies.error(failure);
        return new Told(error.code(), ModelReplies.response(error, error.toAnthropic()));
      }
    },

    /** A response of JSON-RPC 2.0 to no request in particular. */
    JSON_RPC {
      @Override
      Told told(Throwable failure) {
        Problems.Answered told = Problems.of(failure);
        ObjectNode response = jsonRpc(told.problem());
        return new Told(
            told.problem().code(),
            Responses.json(
                new ApiResponse.Json(told.problem().status(), response, told.headers())));
      }
    };

    /** Of the errors that the protocol leaves to servers, that of what the transport refuses. */
    private static final int TRANSPORT = -32000;

    /**
     * What a caller is told.
     *
     * @param code of the problem, for metrics
     */
    record Told(String code, HttpResponse response) {}

    abstract Told told(Throwable failure);

    /** Whether the path is one by which models are asked. */
    boolean ofModels() {
      return this == OPENAI || this == ANTHROPIC;
    }

    /**
     * The form for a path, whether or not it is served.
     *
     * @param segments decoded, as {@link EndpointTable#find} takes them
     */
    static ErrorForm of(List<String> segments) {
      List<String> named = segments.stream().filter(one -> !one.isEmpty()).toList();
      return OpenAiEndpoints.form(named)
          .orElseGet(() -> McpEndpoints.of(named) ? JSON_RPC : PROBLEM);
    }

    static ObjectNode jsonRpc(Problem problem) {
      int code =
          switch (problem.code()) {
            case Problem.INTERNAL -> ErrorCodes.INTERNAL_ERROR;
            case Code.NO_JSON -> ErrorCodes.PARSE_ERROR;
            case Problem.BAD_REQUEST -> ErrorCodes.INVALID_REQUEST;
            default -> TRANSPORT;
          };
      ObjectNode response =
          JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0").putNull("id");
      response
          .putObject("error")
          .put("code", code)
          .put("message", problem.detail())
          .putObject("data")
          .put("code", problem.code())
          .put("retryable", problem.retryable());
      return response;
    }
  }

  /**
   * Answers what is no HTTP request, or too large a one, as everything else is answered. Its name
   * stands in the server's settings.
   */
  static final class ParserProblems extends ParsingErrorHandler {

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
}
