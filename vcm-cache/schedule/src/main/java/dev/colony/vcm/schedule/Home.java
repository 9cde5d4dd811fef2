package dev.colony.vcm.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** A replica as the home of units: what is claimed there, and what its running requests hold. */
final class Home {

  /** How much of the average a new observation of the held blocks makes up. */
  private static final double HELD = 0.05;

  final String replica;
  final Claims claims;

  /** The one whose turn began longest ago first. */
  private final Map<Long, Unit> residents = new LinkedHashMap<>();

  private final Map<Long, Integer> inFlight = new HashMap<>();
  private int outputs;
  private double held;
  int capacity;

  Home(String replica, int capacity, Claims.Index index) {
    this.replica = replica;
    this.claims = new Claims(index);
    this.capacity = capacity;
  }

  int residents() {
    return residents.size();
  }

  boolean empty() {
    return residents.isEmpty();
  }

  /** A unit is resident here, and claims that chain. */
  void claim(Unit unit, long[] chain) {
    unit.home = this;
    claims.claim(unit, chain);
    residents.remove(unit.number);
    residents.put(unit.number, unit);
  }

  /** A turn of a unit begins here, over that chain. */
  void turn(Unit unit, long[] chain, int outputBlocks) {
    claim(unit, chain);
    for (long block : chain) {
      inFlight.merge(block, 1, Integer::sum);
    }
    outputs += outputBlocks;
  }

  void ended(long[] chain, int outputBlocks) {
    for (long block : chain) {
      inFlight.computeIfPresent(block, (b, uses) -> uses == 1 ? null : uses - 1);
    }
    outputs -= outputBlocks;
  }

  /** A unit leaves; those of its blocks that no resident claims any more, in its chain's order. */
  long[] leave(Unit unit) {
    long[] chain = unit.blocks;
    claims.release(unit);
    residents.remove(unit.number);
    unit.home = null;
    long[] gone = new long[chain.length];
    int count = 0;
    for (long block : chain) {
      if (!claims.contains(block)) {
        gone[count++] = block;
      }
    }
    return Arrays.copyOf(gone, count);
  }

  /** Residents without a turn under way. */
  List<Unit> idle() {
    List<Unit> idle = new ArrayList<>();
    for (Unit unit : residents.values()) {
      if (unit.idle()) {
        idle.add(unit);
      }
    }
    return idle;
  }

  List<Unit> all() {
    return List.copyOf(residents.values());
  }

  /** Whether a request that has not ended uses a block. */
  boolean inFlight(long block) {
    return inFlight.containsKey(block);
  }

  /** Blocks that outputs of running requests take. */
  int outputBlocks() {
    return outputs;
  }

  void observe() {
    held += HELD * (Math.min(capacity, inFlight.size() + outputs) - held);
  }

  /** Blocks that running requests hold, averaged over the recent past. */
  double heldBlocks() {
    return held;
  }

  /** One agent of one session: what it claims, and where. */
  static final class Unit {

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
}
