package dev.colony.server.http;

import dev.colony.client.wire.Problem;
import dev.colony.server.NotFoundException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place where failures become what a caller is told; faults of ours are logged here. */
final class Problems {

  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  /** Seconds after which a call that may succeed later is worth repeating. */
  private static final String RETRY_AFTER = "1";

  private Problems() {}

  /** What a caller is told, with headers. */
  record Answered(Problem problem, Map<String, String> headers) {}

  static Answered of(Throwable failure) {
    return switch (failure) {
      case CompletionException stage when stage.getCause() != null -> of(stage.getCause());
      case Refusal refusal -> new Answered(refusal.problem(), refusal.headers());
      case NotFoundException absent -> plain(Code.NOT_FOUND.problem(absent.getMessage()));
      default -> {
        Problem problem = Problem.of(failure);
        if (problem.code().equals(Problem.INTERNAL)) {
          LOG.error("a request failed by a fault of ours", failure);
        }
        yield plain(problem);
      }
    };
  }

  private static Answered plain(Problem problem) {
    return new Answered(
        problem, problem.retryable() ? Map.of("Retry-After", RETRY_AFTER) : Map.of());
  }
}
