package dev.colony.deploy.bench.board;

import dev.colony.deploy.bench.Ceiling;

final class CommitCeiling {
  private CommitCeiling() {}

  static Ceiling measure(BenchServer bench, BoardLoad load) {
    return new Ceiling(1, bench.toString() + load);
  }
}
