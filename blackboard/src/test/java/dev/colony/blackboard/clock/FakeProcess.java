package dev.colony.blackboard.clock;

import dev.colony.blackboard.clock.ClusterClock.TimeStore;
import java.time.Duration;
import java.time.Instant;

/** A process whose monotonic clock and wall clock go as a test says. */
final class FakeProcess {

  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private long nanos;
  private Instant wall;

  final ClusterClock clock;

  FakeProcess(TimeStore store, Instant wall, long nanos) {
    this.wall = wall;
    this.nanos = nanos;
    this.clock = ClusterClock.agreed(store, INTERVAL, () -> this.nanos, () -> this.wall);
  }

  /** Real time goes by. */
  void passes(Duration time) {
    nanos += time.toNanos();
    wall = wall.plus(time);
  }

  /** The wall clock is set. */
  void stepped(Duration by) {
    wall = wall.plus(by);
  }

  void sync() {
    clock.sync().toCompletableFuture().join();
  }

  Instant now() {
    return clock.instant();
  }
}
