package dev.colony.bench;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Says when rounds of the same work cost the same: the compiler has next to nothing left to do, and
 * the last rounds differ little. Pure.
 */
final class Quiet {

  /** How many rounds in a row have to agree. */
  private static final int ROUNDS = 3;

  /** By which part of the least of them. */
  private static final double APART = 0.1;

  /** Of what a step costs, what the compiler may take beside it. */
  private static final double COMPILER = 0.1;

  private final Deque<CpuTime> last = new ArrayDeque<>();

  /** Takes a round's cost per step; whether it is quiet. */
  boolean after(CpuTime perStep) {
    last.add(perStep);
    if (last.size() > ROUNDS) {
      last.remove();
    }
    double least = last.stream().mapToDouble(CpuTime::work).min().orElseThrow();
    double most = last.stream().mapToDouble(CpuTime::work).max().orElseThrow();
    return last.size() == ROUNDS
        && most <= least * (1 + APART)
        && last.stream().allMatch(round -> round.compiler() <= COMPILER * round.work());
  }
}
