package dev.colony.server.http;

import dev.colony.client.wire.Problem;
import java.util.Map;

/** A request that is not carried out, and what its caller is told. */
final class Refusal extends RuntimeException {

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
