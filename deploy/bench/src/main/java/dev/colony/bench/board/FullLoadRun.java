package dev.colony.bench.board;

import dev.colony.bench.load.ClosedLoop;
import dev.colony.bench.load.LatencyFigures;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.HdrHistogram.ConcurrentHistogram;

/** Measures the full load, some writes at a time; closing it ends its subscriptions. */
final class FullLoadRun implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final BenchServer bench;
  private final BoardLoad load;
  private final LoadedScopes scopes;
  private final ConcurrentHistogram acknowledged = LatencyFigures.histogram();
  private double writingSeconds;
  private double hearingSeconds;
  private ClientServerTime taken = ClientServerTime.NONE;

  FullLoadRun(BenchServer bench, String phase, BoardLoad load) {
    this.bench = bench;
    this.load = load;
    this.scopes = LoadedScopes.durable(bench.blackboards(), phase, load);
  }

  /** Makes some of the writes, all before them made already, and waits for their events. */
  void run(int first, int end) {
    ClientServerTime before = ClientServerTime.now(bench);
    long begun = System.nanoTime();
    writingSeconds +=
        new ClosedLoop(load.clients()).run(first, end, (client, number) -> write(number));
    scopes.arrivals().await(end, PATIENCE);
    hearingSeconds += (System.nanoTime() - begun) / 1e9;
    taken = taken.plus(ClientServerTime.now(bench).minus(before));
  }

  private CompletionStage<Void> write(int number) {
    long called = System.nanoTime();
    return scopes
        .write(number, called)
        .thenAccept(done -> LatencyFigures.record(acknowledged, System.nanoTime() - called));
  }

  /** What came of all the writes. */
  FullLoad result() {
    return new FullLoad(
        load.ops() / writingSeconds,
        load.ops() / hearingSeconds,
        LatencyFigures.of(acknowledged),
        scopes.arrivals().latency(),
        taken.clientMicros(load.ops()),
        taken.serverMicros(load.ops()),
        scopes.fellBehind(),
        scopes.tally());
  }

  @Override
  public void close() {
    scopes.close();
  }
}
