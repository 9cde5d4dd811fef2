package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A run that was accepted and whose result is not published.
 *
 * @param acceptedAt from when its time counts
 * @param cancelled why a caller wants it to end; present once one does
 * @param paused how long its time has not gone on since
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record QueuedRun(
    RunRequest request, Instant acceptedAt, Optional<String> cancelled, Duration paused) {

  public QueuedRun {
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(acceptedAt, "acceptedAt");
    cancelled = cancelled == null ? Optional.empty() : cancelled;
    paused = paused == null ? Duration.ZERO : paused;
  }

  static QueuedRun accepted(RunRequest request, Instant at) {
    return new QueuedRun(request, at, Optional.empty(), Duration.ZERO);
  }

  public RunId runId() {
    return request.runId();
  }

  QueuedRun cancel(String reason) {
    return new QueuedRun(request, acceptedAt, Optional.of(reason), paused);
  }

  /** Clocks of two nodes may differ; time that runs backwards does not count. */
  QueuedRun paused(Instant from, Instant to) {
    Instant begun = from.isAfter(acceptedAt) ? from : acceptedAt;
    return to.isAfter(begun)
        ? new QueuedRun(request, acceptedAt, cancelled, paused.plus(Duration.between(begun, to)))
        : this;
  }
}
