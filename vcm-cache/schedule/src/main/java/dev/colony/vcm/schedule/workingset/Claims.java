package dev.colony.vcm.schedule.workingset;

import java.util.HashMap;
import java.util.Map;

/**
 * Which blocks the residents of one replica claim: the union of their chains, shared ones once. It
 * keeps for each resident how many of its blocks it claims alone, so that a change costs O(blocks
 * that change).
 */
final class Claims {

  /** Who claims a block: how many, and their numbers combined so that a single one is known. */
  private static final class Claim {
    private int users;
    private long numbers;
  }

  private final Map<Long, Claim> blocks = new HashMap<>();
  private final Map<Long, Unit> units = new HashMap<>();

  int size() {
    return blocks.size();
  }

  boolean contains(long block) {
    return blocks.containsKey(block);
  }

  /** Whether one unit alone claims a block. */
  boolean exclusive(long block) {
    Claim claim = blocks.get(block);
    return claim != null && claim.users == 1;
  }

  /** How many blocks of a chain are not claimed. */
  int missing(long[] chain) {
    int missing = 0;
    for (long block : chain) {
      if (!blocks.containsKey(block)) {
        missing++;
      }
    }
    return missing;
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
      case 1 -> unit.exclusive++;
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
      }
      case 1 -> units.get(claim.numbers).exclusive++;
      default -> {}
    }
  }
}
