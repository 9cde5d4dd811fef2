package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A run that was accepted and whose result is not published.
 *
 * @param acceptedAt from when its time counts
 * @param cancelled why somebody wants it to end; present once somebody does
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record QueuedRun(RunRequest request, Instant acceptedAt, Optional<String> cancelled) {

  public QueuedRun {
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(acceptedAt, "acceptedAt");
    cancelled = cancelled == null ? Optional.empty() : cancelled;
  }

  static QueuedRun accepted(RunRequest request, Instant at) {
    return new QueuedRun(request, at, Optional.empty());
  }

  public RunId runId() {
    return request.runId();
  }

  QueuedRun cancel(String reason) {
    return new QueuedRun(request, acceptedAt, Optional.of(reason));
  }
}
