package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.Home.Unit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Which blocks the residents of one replica claim: the union of their chains, shared ones once. It
 * keeps for each resident how many of its blocks it claims alone, so that a change costs O(blocks
 * that change), and writes into an index which replicas claim a block.
 */
final class Claims {

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
