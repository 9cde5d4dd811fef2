package dev.colony.server.metrics;

import dev.colony.journal.JournalListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** How long appends to the journal take, and what the store has lost. Thread-safe. */
final class JournalFigures implements JournalListener {

  private final Map<Outcome, Timer> appends = new EnumMap<>(Outcome.class);
  private final Counter rollbacks;
  private final Counter lost;

  JournalFigures(MeterRegistry registry) {
    for (Outcome outcome : Outcome.values()) {
      String name = outcome.name().toLowerCase(Locale.ROOT);
      appends.put(outcome, LatencyBuckets.of(registry, "colony.journal.appends", "outcome", name));
    }
    rollbacks = registry.counter("colony.journal.rollbacks");
    lost = registry.counter("colony.journal.lost.logs");
  }

  @Override
  public void appended(Duration took, Outcome outcome) {
    appends.get(outcome).record(took);
  }

  @Override
  public void rolledBack(Instant since) {
    rollbacks.increment();
  }

  @Override
  public void lost(String persistenceId, long stored, long acknowledged) {
    lost.increment();
  }
}
