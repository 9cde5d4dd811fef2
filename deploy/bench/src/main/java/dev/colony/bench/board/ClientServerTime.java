package dev.colony.bench.board;

import java.time.Duration;

/**
 * The processor time that this process and the Redis server have taken. It says what a figure is
 * bound by, and stays the same on a machine that is busy with other things.
 */
record ClientServerTime(Duration client, Duration server) {

  static final ClientServerTime NONE = new ClientServerTime(Duration.ZERO, Duration.ZERO);

  /** So far; exact to some 10 milliseconds. */
  static ClientServerTime now(BenchServer bench) {
    return new ClientServerTime(
        of(ProcessHandle.current()), of(ProcessHandle.of(bench.server().pid()).orElseThrow()));
  }

  private static Duration of(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  ClientServerTime minus(ClientServerTime earlier) {
    return new ClientServerTime(client.minus(earlier.client), server.minus(earlier.server));
  }

  ClientServerTime plus(ClientServerTime other) {
    return new ClientServerTime(client.plus(other.client), server.plus(other.server));
  }

  double clientMicros(long calls) {
    return client.toNanos() / 1e3 / Math.max(1, calls);
  }

  double serverMicros(long calls) {
    return server.toNanos() / 1e3 / Math.max(1, calls);
  }
}
