package dev.colony.server.http;

import dev.colony.blackboard.clock.Stopwatch;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * How long one request takes, told once: by its answer, or by that it has none in time.
 * Thread-safe.
 */
final class RequestTiming {

  private final ApiListener listener;
  private final Stopwatch watch = Stopwatch.start();
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile Optional<String> operation = Optional.empty();

  RequestTiming(ApiListener listener) {
    this.listener = listener;
  }

  /** It is known what the request is for. */
  void of(Endpoint endpoint) {
    operation = Optional.of(endpoint.operationId());
  }

  /** The same answer, which is told. */
  HttpResponse answered(HttpResponse answer) {
    if (told.compareAndSet(false, true)) {
      listener.answered(operation, answer.status().intValue(), watch.elapsed());
    }
    return answer;
  }
}
