package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * What clients reach that each have one write under way, some writes at a time; closing it ends its
 * subscriptions.
 */
final class FullLoadRun implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofMinutes(1);

  private final BenchServer bench;
  private final BoardLoad load;
  private final LoadedScopes scopes;
  private final Latencies acknowledged = new Latencies();
  private double writingSeconds;
  private double hearingSeconds;
  private CpuTime taken = CpuTime.NONE;

  FullLoadRun(BenchServer bench, String phase, BoardLoad load) {
    this.bench = bench;
    this.load = load;
    this.scopes = LoadedScopes.durable(bench.blackboards(), phase, load);
  }

  /** Makes some of the writes, all before them made already, and waits for their events. */
  void run(int first, int end) {
    CpuTime before = CpuTime.used(bench.server().uri());
    long begun = System.nanoTime();
    writingSeconds +=
        new ClosedLoop(load.clients()).run(first, end, (client, number) -> write(number));
    scopes.arrivals().await(end, PATIENCE);
    hearingSeconds += (System.nanoTime() - begun) / 1e9;
    taken = taken.plus(CpuTime.used(bench.server().uri()).minus(before));
  }

  private CompletionStage<Void> write(int number) {
    long called = System.nanoTime();
    return scopes.write(number, called).thenAccept(done -> acknowledged.since(called));
  }

  double writesPerSecond() {
    return load.ops() / writingSeconds;
  }

  /** Adds what came of all the writes: processor time is that of a write and its event. */
  Arrivals.Tally addTo(ObjectNode json) {
    CpuTime each = taken.per(load.ops());
    json.put("writesPerSecond", Math.round(writesPerSecond()))
        .put("eventsPerSecond", Math.round(load.ops() / hearingSeconds))
        .put("clientCpuMicros", Report.rounded(each.work() + each.compiler()))
        .put("serverCpuMicros", Report.rounded(each.redis()))
        .put("fellBehind", scopes.fellBehind());
    acknowledged.addTo(json, "write");
    scopes.arrivals().latency().addTo(json, "event");
    return scopes.tally();
  }

  @Override
  public void close() {
    scopes.close();
  }
}
