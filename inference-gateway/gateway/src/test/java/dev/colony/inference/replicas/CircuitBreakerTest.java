package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.replicas.ReplicaHealth.CircuitBreaker;
import dev.colony.inference.replicas.ReplicaHealth.CircuitBreaker.State;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a replica is called, and when not. */
class CircuitBreakerTest {

  private static final long SECOND = 1_000_000_000L;
  private static final CircuitBreaker.Settings SETTINGS =
      new CircuitBreaker.Settings(3, Duration.ofSeconds(5), Duration.ofSeconds(15), 2);

  private final CircuitBreaker breaker = new CircuitBreaker(SETTINGS);

  private void fail(int times, long now) {
    for (int i = 0; i < times; i++) {
      breaker.sent(now);
      breaker.failed(now);
    }
  }

  @Test
  void failuresInARowOpenItAndASuccessBetweenThemDoesNot() {
    fail(2, 0);
    breaker.succeeded(0);
    fail(2, 0);
    assertThat(breaker.state(0)).isEqualTo(State.CLOSED);
    fail(1, 0);
    assertThat(breaker.state(0)).isEqualTo(State.OPEN);
    assertThat(breaker.allows(0)).isFalse();
    assertThat(breaker.allows(5 * SECOND - 1)).isFalse();
  }

  @Test
  void halfOpenItLetsAFewThroughAndThatManySuccessesCloseIt() {
    fail(3, 0);
    long later = 5 * SECOND;
    assertThat(breaker.state(later)).isEqualTo(State.HALF_OPEN);
    breaker.sent(later);
    assertThat(breaker.allows(later)).isTrue();
    breaker.sent(later);
    assertThat(breaker.allows(later)).isFalse();
    breaker.succeeded(later);
    assertThat(breaker.state(later)).isEqualTo(State.HALF_OPEN);
    breaker.succeeded(later);
    assertThat(breaker.state(later)).isEqualTo(State.CLOSED);
    fail(2, later);
    assertThat(breaker.allows(later)).as("counts from the beginning").isTrue();
  }

  @Test
  void halfOpenTheFirstFailureOpensItForTwiceAsLongUpToTheMost() {
    fail(3, 0);
    fail(1, 5 * SECOND);
    assertThat(breaker.state(15 * SECOND - 1)).isEqualTo(State.OPEN);
    fail(1, 15 * SECOND);
    assertThat(breaker.state(30 * SECOND - 1)).isEqualTo(State.OPEN);
    assertThat(breaker.state(30 * SECOND)).isEqualTo(State.HALF_OPEN);
    breaker.sent(30 * SECOND);
    breaker.succeeded(30 * SECOND);
    breaker.sent(30 * SECOND);
    breaker.succeeded(30 * SECOND);
    fail(3, 30 * SECOND);
    assertThat(breaker.state(35 * SECOND)).as("as long as at first").isEqualTo(State.HALF_OPEN);
  }

  @Test
  void aCancelledTrialGivesItsPlaceBack() {
    fail(3, 0);
    long later = 5 * SECOND;
    breaker.sent(later);
    breaker.sent(later);
    breaker.cancelled(later);
    assertThat(breaker.allows(later)).isTrue();
    assertThat(breaker.state(later)).isEqualTo(State.HALF_OPEN);
  }

  @Test
  void whatWasSentBeforeItOpenedChangesNothing() {
    fail(3, 0);
    breaker.succeeded(SECOND);
    breaker.failed(SECOND);
    breaker.cancelled(SECOND);
    assertThat(breaker.state(5 * SECOND - 1)).isEqualTo(State.OPEN);
    assertThat(breaker.state(5 * SECOND)).isEqualTo(State.HALF_OPEN);
  }

  @Test
  void timesThatOverflowAreCompared() {
    CircuitBreaker late = new CircuitBreaker(SETTINGS);
    long now = Long.MAX_VALUE - SECOND;
    for (int i = 0; i < 3; i++) {
      late.failed(now);
    }
    assertThat(late.state(now)).isEqualTo(State.OPEN);
    assertThat(late.state(now + 2 * SECOND)).isEqualTo(State.OPEN);
    assertThat(late.state(now + 5 * SECOND)).isEqualTo(State.HALF_OPEN);
  }

  // --- health: checks, draining and slow start around it

  private static final ReplicaHealth.Settings HEALTH =
      new ReplicaHealth.Settings(3, 2, Duration.ofSeconds(10), SETTINGS);

  @Test
  void checksInARowDecide() {
    ReplicaHealth health = ReplicaHealth.known(HEALTH, 0);
    health.checked(false, 0);
    health.checked(false, 0);
    health.checked(true, 0);
    health.checked(false, 0);
    health.checked(false, 0);
    assertThat(health.available(0)).isTrue();
    health.checked(false, 0);
    assertThat(health.available(0)).isFalse();
    assertThat(health.status(0)).isEqualTo("unhealthy");
    health.checked(true, SECOND);
    health.checked(false, SECOND);
    health.checked(true, SECOND);
    assertThat(health.available(SECOND)).isFalse();
    health.checked(true, SECOND);
    assertThat(health.available(SECOND)).isTrue();
  }

  @Test
  void whatComesOrComesBackStartsSlowly() {
    ReplicaHealth health = new ReplicaHealth(HEALTH, 0);
    assertThat(health.access(false, 0, 0).warm()).isEqualTo(0.1);
    assertThat(health.access(false, 0, 5 * SECOND).warm()).isEqualTo(0.5);
    assertThat(health.access(false, 0, 10 * SECOND).warm()).isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      health.checked(false, 20 * SECOND);
    }
    health.checked(true, 30 * SECOND);
    health.checked(true, 30 * SECOND);
    assertThat(health.access(false, 0, 32 * SECOND).warm()).isEqualTo(0.2);
    assertThat(ReplicaHealth.known(HEALTH, 0).access(true, 0.5, 0))
        .isEqualTo(new Access(true, true, 1, 0.5));
  }

  @Test
  void aReplicaThatDrainsGetsNoCallsUntilItStays() {
    ReplicaHealth health = ReplicaHealth.known(HEALTH, 0);
    health.draining(true);
    assertThat(health.available(0)).isFalse();
    assertThat(health.status(0)).isEqualTo("draining");
    health.draining(false);
    assertThat(health.available(0)).isTrue();
    assertThat(health.status(0)).isEqualTo("serving");
  }

  @Test
  void anOpenBreakerKeepsCallsAway() {
    ReplicaHealth health = ReplicaHealth.known(HEALTH, 0);
    for (int i = 0; i < 3; i++) {
      health.breaker().failed(0);
    }
    assertThat(health.access(false, 0, 0).available()).isFalse();
    assertThat(health.status(0)).isEqualTo("circuit open");
    assertThat(health.status(5 * SECOND)).isEqualTo("circuit half open");
    assertThat(health.available(5 * SECOND)).isTrue();
  }
}
