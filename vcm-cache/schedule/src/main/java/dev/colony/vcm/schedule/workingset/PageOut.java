package dev.colony.vcm.schedule.workingset;

import dev.colony.vcm.schedule.PrefillSpeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which idle residents of a replica give up their blocks. Paging one out frees the blocks that it
 * claims alone for as long as it stays away, and costs their prefill when it comes back, in which
 * time the blocks of all running requests are held for nothing: its net gain in block-seconds.
 */
final class PageOut {

  /**
   * Who goes.
   *
   * @param units in the order in which they go
   * @param gain of all of them, in block-seconds
   */
  record Victims(List<Unit> units, double gain) {}

  /** Blocks at the end of an idle unit's chain, in its order. */
  record Tail(Unit unit, long[] blocks) {}

  private record Valued(Unit unit, double gain) {
    double perBlock() {
      return gain / unit.exclusive;
    }
  }

  private final WorkingSetSettings settings;
  private final Absences absences;

  PageOut(WorkingSetSettings settings, Absences absences) {
    this.settings = settings;
    this.absences = absences;
  }

  /** How much longer a unit stays away, by its own word or by what absences were seen. */
  double rest(Unit unit, double now) {
    return unit.returnsAt.isPresent()
        ? Math.max(0, unit.returnsAt.getAsDouble() - now)
        : absences.remaining(now - unit.lastEvent);
  }

  /**
   * Those whose paging out brings most for each block, until that many blocks are free.
   *
   * @param blockTokens tokens of a block
   * @param always whether also those go whose paging out costs more than it brings
   * @return empty where all of them together would not free enough
   */
  Optional<Victims> free(
      Home home,
      double blocks,
      PrefillSpeed speed,
      double blockTokens,
      double now,
      boolean always) {
    List<Unit> units = new ArrayList<>();
    double freed = 0;
    double gain = 0;
    for (Valued one : valued(home, speed, blockTokens, now)) {
      if (freed >= blocks) {
        break;
      }
      if (always || one.gain() > 0) {
        units.add(one.unit());
        freed += one.unit().exclusive;
        gain += one.gain();
      }
    }
    return freed >= blocks ? Optional.of(new Victims(units, gain)) : Optional.empty();
  }

  /** All idle residents that claim something alone, the best to page out first. */
  List<Unit> ranked(Home home, PrefillSpeed speed, double blockTokens, double now) {
    return valued(home, speed, blockTokens, now).stream().map(Valued::unit).toList();
  }

  private List<Valued> valued(Home home, PrefillSpeed speed, double blockTokens, double now) {
    List<Valued> valued = new ArrayList<>();
    for (Unit unit : home.idle()) {
      if (unit.exclusive > 0) {
        valued.add(new Valued(unit, gain(home, unit, speed, blockTokens, now)));
      }
    }
    valued.sort(Comparator.comparingDouble(Valued::perBlock).reversed());
    return valued;
  }

  private double gain(Home home, Unit unit, PrefillSpeed speed, double blockTokens, double now) {
    int alone = unit.exclusive;
    double again = speed.seconds(alone * blockTokens, (unit.blocks.length - alone) * blockTokens);
    return rest(unit, now) * alone - settings.gain() * again * (home.heldBlocks() + alone);
  }

  /**
   * The ends of the chains of idle units, that with the furthest return first, until that many
   * blocks are found; each unit's in the order of its chain.
   */
  List<Tail> tails(Home home, int blocks, double now) {
    List<Unit> idle = home.idle();
    idle.sort(Comparator.comparingDouble((Unit unit) -> rest(unit, now)).reversed());
    List<Tail> tails = new ArrayList<>();
    int found = 0;
    for (Unit unit : idle) {
      if (found >= blocks) {
        break;
      }
      long[] chain = unit.blocks;
      int from = Math.max(0, chain.length - (blocks - found));
      long[] tail = new long[chain.length - from];
      int count = 0;
      for (int i = from; i < chain.length; i++) {
        if (home.claims.exclusive(chain[i])) {
          tail[count++] = chain[i];
        }
      }
      if (count > 0) {
        tails.add(new Tail(unit, Arrays.copyOf(tail, count)));
        found += count;
      }
    }
    return tails;
  }
}
