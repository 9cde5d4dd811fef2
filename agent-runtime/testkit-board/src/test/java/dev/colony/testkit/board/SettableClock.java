package dev.colony.testkit.board;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that goes as it is told. Thread-safe. */
final class SettableClock extends Clock {

  private volatile Instant now = Instant.parse("2030-01-01T00:00:00Z");

  /** Less than 0: it is set back. */
  synchronized void pass(long millis) {
    now = now.plusMillis(millis);
  }

  @Override
  public Instant instant() {
    return now;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new IllegalStateException("it has no zones");
  }
}
