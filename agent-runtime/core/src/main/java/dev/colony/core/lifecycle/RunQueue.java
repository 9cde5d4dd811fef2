package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The runs of an agent.
 *
 * @param queue the accepted ones whose results are not published; the first is being executed
 * @param active how far that first one has come; empty if there is none
 * @param finished those published last, the newest at the end, as many as {@link
 *     RunLimits#rememberedRuns}
 * @param rewound the one that was rewound last, or is to be
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RunQueue(
    List<QueuedRun> queue,
    Optional<ActiveRun> active,
    List<RunId> finished,
    Optional<Rewinding> rewound) {

  static final RunQueue NONE =
      new RunQueue(List.of(), Optional.empty(), List.of(), Optional.empty());

  public RunQueue {
    queue = queue == null ? List.of() : List.copyOf(queue);
    active = active == null ? Optional.empty() : active;
    finished = finished == null ? List.of() : List.copyOf(finished);
    rewound = rewound == null ? Optional.empty() : rewound;
  }

  RunQueue active(ActiveRun next) {
    return new RunQueue(queue, Optional.of(next), finished, rewound);
  }

  /**
   * One more run, or one that is rewound again.
   *
   * @param begun what it begins with if it is the only one
   */
  RunQueue accepted(QueuedRun run, ActiveRun begun) {
    boolean again = opened().filter(one -> one.run().equals(run.runId())).isPresent();
    return new RunQueue(
        plus(queue, run),
        Optional.of(active.orElse(begun)),
        again ? finished.stream().filter(one -> !one.equals(run.runId())).toList() : finished,
        again ? rewound.map(Rewinding::done) : rewound);
  }

  /** The one that is to be rewound yet. */
  Optional<Rewinding> opened() {
    return rewound.filter(Rewinding::open);
  }

  /** How many attempts a run has had, the one that is to begin included. */
  int attempts(RunId run) {
    return rewound.filter(one -> one.run().equals(run)).map(Rewinding::attempt).orElse(1);
  }

  RunQueue rewinding(Rewinding next) {
    return new RunQueue(queue, active, finished, Optional.of(next));
  }

  /** The same without rewinding what was to be. */
  RunQueue notRewound() {
    return new RunQueue(queue, active, finished, rewound.map(Rewinding::undone));
  }

  RunQueue cancelled(RunId run, String reason) {
    return each(one -> one.runId().equals(run) ? one.cancel(reason) : one);
  }

  /** The time of no run went on between two moments. */
  RunQueue paused(Instant from, Instant to) {
    return queue.isEmpty() ? this : each(one -> one.paused(from, to));
  }

  /**
   * A result is published; if it was the first run's, the next one begins.
   *
   * @param remembered how many runs that are over to keep
   */
  RunQueue published(RunId run, int remembered) {
    boolean first = queue.getFirst().runId().equals(run);
    List<QueuedRun> left = queue.stream().filter(one -> !one.runId().equals(run)).toList();
    List<RunId> newest = plus(finished, run);
    int over = newest.size() - remembered;
    return new RunQueue(
        left,
        first ? left.stream().findFirst().map(next -> ActiveRun.begun(next.request())) : active,
        over > 0 ? newest.subList(over, newest.size()) : newest,
        rewound);
  }

  Optional<QueuedRun> queued(RunId run) {
    return queue.stream().filter(one -> one.runId().equals(run)).findFirst();
  }

  /** A run behind the first that its caller does not want any more. */
  Optional<QueuedRun> cancelledBehind() {
    return queue.size() < 2
        ? Optional.empty()
        : queue.stream().skip(1).filter(run -> run.cancelled().isPresent()).findFirst();
  }

  int ending() {
    int cancelled = (int) queue.stream().filter(run -> run.cancelled().isPresent()).count();
    boolean over = active.flatMap(ActiveRun::ended).isPresent();
    return over && queue.getFirst().cancelled().isEmpty() ? cancelled + 1 : cancelled;
  }

  private RunQueue each(UnaryOperator<QueuedRun> change) {
    return new RunQueue(queue.stream().map(change).toList(), active, finished, rewound);
  }

  private static <T> List<T> plus(List<T> list, T one) {
    List<T> longer = new ArrayList<>(list);
    longer.add(one);
    return longer;
  }

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
}
