package dev.colony.bench;

import dev.colony.bench.ScheduleLoad.Declared;
import dev.colony.vcm.schedule.EvictionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One way to run this scheduler in the simulator.
 *
 * @param declared what agents tell it
 * @param boundSeconds that an agent waits at most before others are paged out for it
 * @param eviction how it tells caches what is wanted least
 * @param staleSeconds by which it hears late of first tokens and evictions
 * @param lost the share of evictions of which it never hears
 */
record Variant(
    Declared declared,
    double boundSeconds,
    EvictionControl eviction,
    double staleSeconds,
    double lost) {

  /**
   * All that a load asks for on one trace: each declaration with each bound, and the first of them
   * with each other control of evictions and with what is heard late or never.
   */
  static List<Variant> of(ScheduleLoad load, boolean sessions) {
    List<Variant> variants = new ArrayList<>();
    // Where no agent comes back there is nothing to declare, and nothing waits.
    List<Declared> declared = sessions ? load.declared() : List.of(Declared.NOTHING);
    List<Double> bounds =
        sessions ? load.boundsSeconds() : List.of(load.boundsSeconds().getFirst());
    for (Declared what : declared) {
      for (double bound : bounds) {
        variants.add(new Variant(what, bound, load.evictions().getFirst(), 0, 0));
      }
    }
    Variant first = variants.getFirst();
    for (EvictionControl other : load.evictions().subList(1, load.evictions().size())) {
      variants.add(new Variant(first.declared(), first.boundSeconds(), other, 0, 0));
    }
    if (load.staleSeconds() > 0 || load.lost() > 0) {
      variants.add(
          new Variant(
              first.declared(),
              first.boundSeconds(),
              first.eviction(),
              load.staleSeconds(),
              load.lost()));
    }
    return variants;
  }

  /** What tells it from others, for a person. */
  String words() {
    StringBuilder words =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%s; bound %.0f s; %s",
                declared.words(),
                boundSeconds,
                eviction.name().toLowerCase(Locale.ROOT)));
    if (staleSeconds > 0 || lost > 0) {
      words.append(String.format(Locale.ROOT, "; heard %s s late, %s lost", staleSeconds, lost));
    }
    return words.toString();
  }
}
