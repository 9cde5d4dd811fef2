package dev.colony.server.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.client.wire.Problem;
import dev.colony.server.openai.OpenAiError;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import java.util.List;
import org.apache.pekko.http.javadsl.model.HttpResponse;

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
      return new Told(error.code(), ModelReplies.response(error));
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
          Responses.json(new ApiResponse.Json(told.problem().status(), response, told.headers())));
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

  /**
   * The form for a path, whether or not it is served.
   *
   * @param segments decoded, as {@link EndpointTable#find} takes them
   */
  static ErrorForm of(List<String> segments) {
    List<String> named = segments.stream().filter(one -> !one.isEmpty()).toList();
    return OpenAiEndpoints.of(named) ? OPENAI : McpEndpoints.of(named) ? JSON_RPC : PROBLEM;
  }

  /** The problem as a response. */
  static ObjectNode jsonRpc(Problem problem) {
    int code =
        switch (problem.code()) {
          case Problem.INTERNAL -> ErrorCodes.INTERNAL_ERROR;
          case Code.NO_JSON -> ErrorCodes.PARSE_ERROR;
          case Problem.BAD_REQUEST -> ErrorCodes.INVALID_REQUEST;
          default -> TRANSPORT;
        };
    ObjectNode response = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0").putNull("id");
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
