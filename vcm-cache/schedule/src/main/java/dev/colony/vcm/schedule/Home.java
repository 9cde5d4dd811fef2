package dev.colony.vcm.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.TreeSet;

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

  /**
   * Which blocks the residents of one replica claim: the union of their chains, shared ones once.
   * It keeps for each resident how many of its blocks it claims alone, so that a change costs
   * O(blocks that change), and writes into an index which replicas claim a block.
   */
  static final class Claims {

    /** Where blocks are claimed, of all replicas: what a chain lacks anywhere is one look. */
    static final class Index {

      /** The numbers of the replicas at which a block is claimed. */
      private final Map<Long, int[]> homes = new HashMap<>();

      /** Numbers that no replica has any more. */
      private final TreeSet<Integer> unused = new TreeSet<>();

      private int numbers;

      private int join() {
        return unused.isEmpty() ? numbers++ : unused.pollFirst();
      }

      /** How many blocks of a chain each replica claims, by its number; O(blocks * their homes). */
      int[] claimed(long[] chain) {
        int[] claimed = new int[numbers];
        for (long block : chain) {
          int[] at = homes.get(block);
          if (at != null) {
            for (int home : at) {
              claimed[home]++;
            }
          }
        }
        return claimed;
      }

      private void claimed(long block, int home) {
        int[] at = homes.get(block);
        int[] more = at == null ? new int[1] : Arrays.copyOf(at, at.length + 1);
        more[more.length - 1] = home;
        homes.put(block, more);
      }

      private void released(long block, int home) {
        int[] fewer = Arrays.stream(homes.get(block)).filter(at -> at != home).toArray();
        if (fewer.length == 0) {
          homes.remove(block);
        } else {
          homes.put(block, fewer);
        }
      }
    }

    /** Who claims a block: how many, and their numbers combined so that a single one is known. */
    private static final class Claim {
      private int users;
      private long numbers;
    }

    private final Map<Long, Claim> blocks = new HashMap<>();
    private final Map<Long, Unit> units = new HashMap<>();
    private final Index index;

    /** What {@link Index#claimed(long[])} has this replica at. */
    final int number;

    Claims(Index index) {
      this.index = index;
      this.number = index.join();
    }

    /** The replica is gone: its number may be another's. All residents must have been released. */
    void end() {
      index.unused.add(number);
    }

    int size() {
      return blocks.size();
    }

    boolean contains(long block) {
      return blocks.containsKey(block);
    }

    /** How many units claim a block. */
    int users(long block) {
      Claim claim = blocks.get(block);
      return claim == null ? 0 : claim.users;
    }

    /** Whether one unit alone claims a block. */
    boolean exclusive(long block) {
      return users(block) == 1;
    }

    /** A unit claims a chain in place of what it claimed before. */
    void claim(Unit unit, long[] chain) {
      units.put(unit.number, unit);
      for (long block : chain) {
        add(unit, block);
      }
      for (long block : unit.blocks) {
        remove(unit, block);
      }
      unit.blocks = chain;
    }

    /** A unit claims nothing any more. */
    void release(Unit unit) {
      for (long block : unit.blocks) {
        remove(unit, block);
      }
      unit.claimsNothing();
      units.remove(unit.number);
    }

    private void add(Unit unit, long block) {
      Claim claim = blocks.computeIfAbsent(block, b -> new Claim());
      switch (++claim.users) {
        case 1 -> {
          unit.exclusive++;
          index.claimed(block, number);
        }
        case 2 -> units.get(claim.numbers).exclusive--;
        default -> {}
      }
      claim.numbers ^= unit.number;
    }

    private void remove(Unit unit, long block) {
      Claim claim = blocks.get(block);
      claim.numbers ^= unit.number;
      switch (--claim.users) {
        case 0 -> {
          unit.exclusive--;
          blocks.remove(block);
          index.released(block, number);
        }
        case 1 -> units.get(claim.numbers).exclusive++;
        default -> {}
      }
    }
  }
}
