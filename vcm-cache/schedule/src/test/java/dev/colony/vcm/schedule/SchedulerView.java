package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.Home.Unit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a scheduler decides by, for tests: told by what can be compared from state to state. */
public final class SchedulerView {

  private SchedulerView() {}

  /** Whether each replica's claims are the union of its residents' blocks. */
  public static boolean claimsAreUnions(WorkingSetScheduler scheduler) {
    return scheduler.homes().stream()
        .allMatch(home -> {
          TreeSet<Long> union = new TreeSet<>();
          for (Unit unit : home.all()) {
            for (long block : unit.blocks) {
              union.add(block);
            }
          }
          return home.claims.size() == union.size()
              && union.stream().allMatch(home.claims::contains);
        });
  }

  /** The residents of each replica, and what it is told of their return, by a clock at 0. */
  public static String describe(WorkingSetScheduler scheduler, double now) {
    Collection<Home> homes = scheduler.homes();
    return homes.stream()
        .sorted(Comparator.comparing(home -> home.replica))
        .map(home ->
            home.replica
                + home.capacity
                + home.outputBlocks()
                + home.all().stream()
                    .map(unit -> {
                      double away =
                          unit.returnsAt.isPresent()
                              ? Math.max(0, unit.returnsAt.getAsDouble() - now)
                              : -1;
                      return unit.key
                          + java.util.Arrays.toString(unit.blocks)
                          + unit.inFlight
                          + "r"
                          + away;
                    })
                    .collect(Collectors.joining(",", "[", "]")))
        .collect(Collectors.joining(";"));
  }

  /** Residents by replica. */
  public static Map<String, String> homes(WorkingSetScheduler scheduler) {
    Map<String, String> homes = new HashMap<>();
    scheduler
        .homes()
        .forEach(home -> home.all().forEach(unit -> homes.put(unit.key, home.replica)));
    return homes;
  }
}
