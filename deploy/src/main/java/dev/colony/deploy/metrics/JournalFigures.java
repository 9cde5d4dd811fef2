package dev.colony.deploy.metrics;

import dev.colony.agent.journal.JournalListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** How long appends to the journal take. Thread-safe. */
final class JournalFigures implements JournalListener {

  private final Map<Outcome, Timer> appends = new EnumMap<>(Outcome.class);

  JournalFigures(MeterRegistry registry) {
    for (Outcome outcome : Outcome.values()) {
      String name = outcome.name().toLowerCase(Locale.ROOT);
      appends.put(outcome, Latency.of(registry, "colony.journal.appends", "outcome", name));
    }
  }

  @Override
  public void appended(Duration took, Outcome outcome) {
    appends.get(outcome).record(took);
  }
}
