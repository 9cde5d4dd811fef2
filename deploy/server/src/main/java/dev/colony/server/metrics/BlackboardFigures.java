package dev.colony.server.metrics;

import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.payload.PayloadVault.PayloadListener;
import dev.colony.journal.Journal.JournalListener;
import dev.colony.server.metrics.NodeMetrics.LatencyBuckets;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Calls to the blackboard by kind and outcome, and how late its events are. Thread-safe. The
 * outcome is {@code ok}, {@code retryable} or {@code failed}, so that a label has few values; the
 * log has the reasons.
 */
final class BlackboardFigures implements BlackboardListener {

  private enum Outcome {
    OK,
    RETRYABLE,
    FAILED;

    static Outcome of(Optional<Reason> failure) {
      return failure.map(reason -> reason.retryable() ? RETRYABLE : FAILED).orElse(OK);
    }
  }

  private final MeterRegistry registry;
  private final Map<Call, Map<Outcome, Timer>> calls = new EnumMap<>(Call.class);
  private final Timer lag;
  private final PayloadFigures payloads;

  BlackboardFigures(MeterRegistry registry) {
    this.registry = registry;
    for (Call call : Call.values()) {
      Map<Outcome, Timer> byOutcome = new EnumMap<>(Outcome.class);
      for (Outcome outcome : Outcome.values()) {
        byOutcome.put(
            outcome,
            LatencyBuckets.of(
                registry,
                "colony.blackboard.calls",
                "call",
                call.name().toLowerCase(Locale.ROOT),
                "outcome",
                outcome.name().toLowerCase(Locale.ROOT)));
      }
      calls.put(call, byOutcome);
    }
    this.lag = LatencyBuckets.of(registry, "colony.blackboard.event.lag");
    this.payloads = new PayloadFigures(registry, "blackboard");
  }

  /** Shows also what the blackboards count themselves. */
  void follow(Blackboards blackboards) {
    count("entries.read", blackboards, BlackboardCounters::reads);
    count("entries.written", blackboards, BlackboardCounters::writes);
    count("entries.deleted", blackboards, BlackboardCounters::deletes);
    count("conflicts", blackboards, counters -> counters.conflicts() + counters.retries());
    count("transactions.given.up", blackboards, BlackboardCounters::concurrentModifications);
    count("refusals", blackboards, BlackboardCounters::refusals);
    count("events", blackboards, BlackboardCounters::events);
  }

  private void count(
      String name, Blackboards blackboards, ToDoubleFunction<BlackboardCounters> count) {
    FunctionCounter.builder(
            "colony.blackboard." + name,
            blackboards,
            boards -> count.applyAsDouble(boards.counters()))
        .register(registry);
  }

  @Override
  public void answered(Call call, Duration took, Optional<Reason> failure) {
    calls.get(call).get(Outcome.of(failure)).record(took);
  }

  @Override
  public void handedOn(Duration late) {
    lag.record(late);
  }

  @Override
  public void payload(PayloadListener.Outcome outcome, long bytes) {
    payloads.payload(outcome, bytes);
  }

  /** How long appends to the journal take, and what the store has lost. Thread-safe. */
  static final class JournalFigures implements JournalListener {

    private final Map<Outcome, Timer> appends = new EnumMap<>(Outcome.class);
    private final Counter rollbacks;
    private final Counter lost;
    private final PayloadFigures payloads;

    JournalFigures(MeterRegistry registry) {
      for (Outcome outcome : Outcome.values()) {
        String name = outcome.name().toLowerCase(Locale.ROOT);
        appends.put(
            outcome, LatencyBuckets.of(registry, "colony.journal.appends", "outcome", name));
      }
      rollbacks = registry.counter("colony.journal.rollbacks");
      lost = registry.counter("colony.journal.lost.logs");
      payloads = new PayloadFigures(registry, "journal");
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

    @Override
    public void payload(PayloadListener.Outcome outcome, long bytes) {
      payloads.payload(outcome, bytes);
    }
  }

  /** What lies outside Redis. Thread-safe. */
  private static final class PayloadFigures implements PayloadListener {

    private final Map<Outcome, Counter> payloads = new EnumMap<>(Outcome.class);
    private final Map<Outcome, Counter> bytes = new EnumMap<>(Outcome.class);

    /**
     * @param of whose they are
     */
    PayloadFigures(MeterRegistry registry, String of) {
      for (Outcome outcome : Outcome.values()) {
        String name = outcome.name().toLowerCase(Locale.ROOT);
        payloads.put(outcome, registry.counter("colony.payloads", "of", of, "outcome", name));
        bytes.put(outcome, registry.counter("colony.payload.bytes", "of", of, "outcome", name));
      }
    }

    @Override
    public void payload(Outcome outcome, long length) {
      payloads.get(outcome).increment();
      bytes.get(outcome).increment(length);
    }
  }
}
