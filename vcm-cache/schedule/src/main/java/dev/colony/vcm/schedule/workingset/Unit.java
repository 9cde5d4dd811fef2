package dev.colony.vcm.schedule.workingset;

import java.util.OptionalDouble;
import java.util.OptionalInt;

/** One agent of one session: what it claims, and where. */
final class Unit {

  private static final long[] NOTHING = {};

  final long number;
  final String key;

  /** Where its blocks are claimed; null where it is resident nowhere. */
  Home home;

  /** The chain of its latest prompt while it is resident, empty otherwise. */
  long[] blocks = NOTHING;

  /** How many of its blocks no other resident of its home claims. */
  int exclusive;

  int inFlight;
  int waiting;
  int turns;

  /** When a turn of it last began or ended. */
  double lastEvent;

  /** When it comes back by its own word. */
  OptionalDouble returnsAt = OptionalDouble.empty();

  /** How many turns it still has by its own word. */
  OptionalInt remainingTurns = OptionalInt.empty();

  Unit(long number, String key, double now) {
    this.number = number;
    this.key = key;
    this.lastEvent = now;
  }

  boolean idle() {
    return inFlight == 0;
  }

  /** Whether it has had a turn before: it is not a newcomer. */
  boolean returning() {
    return turns > 0;
  }

  void claimsNothing() {
    blocks = NOTHING;
  }
}
