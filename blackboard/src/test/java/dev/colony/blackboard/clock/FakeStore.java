package dev.colony.blackboard.clock;

import dev.colony.blackboard.clock.ClusterClock.TimeStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store whose clock goes as a test says; by the contract of {@link TimeStore}. */
final class FakeStore implements TimeStore {

  private Instant clock;
  private Optional<Reading> stored = Optional.empty();
  private boolean away;

  FakeStore(Instant clock) {
    this.clock = clock;
  }

  void passes(Duration time) {
    clock = clock.plus(time);
  }

  void stepped(Duration by) {
    clock = clock.plus(by);
  }

  void away(boolean isAway) {
    away = isAway;
  }

  Optional<Reading> stored() {
    return stored;
  }

  /** It comes back as it was. */
  void wentBack(Optional<Reading> earlier) {
    stored = earlier;
  }

  @Override
  public CompletionStage<Reading> agree(Optional<Instant> mine) {
    if (away) {
      return CompletableFuture.failedStage(new IllegalStateException("the store is away"));
    }
    Instant advanced =
        stored
            .map(before -> {
              Duration gone = Duration.between(before.store(), clock);
              return gone.isNegative() ? before.cluster() : before.cluster().plus(gone);
            })
            .orElse(clock);
    Instant said = mine.map(at -> at.truncatedTo(ChronoUnit.MILLIS)).orElse(advanced);
    Instant now = stored.map(Reading::cluster).filter(before -> before.isAfter(said)).orElse(said);
    Reading answer = new Reading(now, clock);
    stored = Optional.of(answer);
    return CompletableFuture.completedStage(answer);
  }
}
