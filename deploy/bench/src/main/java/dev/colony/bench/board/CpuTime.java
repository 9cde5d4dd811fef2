package dev.colony.bench.board;

import java.time.Duration;

/**
 * The processor time that this process and the Redis server have taken. It says what a figure is
 * bound by, and stays the same on a machine that is busy with other things.
 */
record CpuTime(Duration client, Duration server) {

  static final CpuTime NONE = new CpuTime(Duration.ZERO, Duration.ZERO);

  /** So far; exact to some 10 milliseconds. */
  static CpuTime now(BenchServer bench) {
    return new CpuTime(
        of(ProcessHandle.current()), of(ProcessHandle.of(bench.server().pid()).orElseThrow()));
  }

  private static Duration of(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  CpuTime minus(CpuTime earlier) {
    return new CpuTime(client.minus(earlier.client), server.minus(earlier.server));
  }

  CpuTime plus(CpuTime other) {
    return new CpuTime(client.plus(other.client), server.plus(other.server));
  }

  double clientMicros(long calls) {
    return client.toNanos() / 1e3 / Math.max(1, calls);
  }

  double serverMicros(long calls) {
    return server.toNanos() / 1e3 / Math.max(1, calls);
  }
}
