package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.Home.Unit;
import dev.colony.vcm.schedule.Orders.Eviction;
import dev.colony.vcm.schedule.Orders.Touch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** What was given up since the last orders, and how caches are told of it. */
final class CacheOrders {

  private final Function<String, EvictionControl> control;
  private final PageOut pageOut;
  private final List<Eviction> hints = new ArrayList<>();

  /** Where something was given up that touches have to bring about. */
  private final Set<Home> outgrown = new LinkedHashSet<>();

  /** How many blocks of a unit's chain are to stay, where not all are. */
  private final Map<Unit, Integer> kept = new HashMap<>();

  CacheOrders(Function<String, EvictionControl> control, PageOut pageOut) {
    this.control = control;
    this.pageOut = pageOut;
  }

  /** Those blocks are wanted by no resident of a replica any more. */
  void givenUp(Home home, long[] blocks) {
    switch (control.apply(home.replica)) {
      case HINTS -> hints.add(new Eviction(home.replica, blocks));
      case TOUCHES -> outgrown.add(home);
      case NONE -> {}
    }
  }

  /** A resident gives up the end of its chain. */
  void givenUp(Home home, PageOut.Tail tail) {
    kept.put(tail.unit(), tail.unit().blocks.length - tail.blocks().length);
    givenUp(home, tail.blocks());
  }

  /**
   * What was given up a moment ago may be used by a request that has started since.
   *
   * @param homes of replicas; null for one that is gone
   */
  List<Eviction> evictions(Function<String, Home> homes) {
    List<Eviction> unused = new ArrayList<>();
    for (Eviction hint : hints) {
      Home home = homes.apply(hint.replica());
      if (home != null) {
        long[] blocks =
            Arrays.stream(hint.blocks()).filter(block -> !home.inFlight(block)).toArray();
        if (blocks.length > 0) {
          unused.add(new Eviction(hint.replica(), blocks));
        }
      }
    }
    return unused;
  }

  /**
   * What idle residents claim where something was given up, that which is wanted again last first,
   * so that it is the first to go after what was given up.
   */
  List<Touch> touches(double now) {
    List<Touch> touches = new ArrayList<>();
    for (Home home : outgrown) {
      List<Unit> idle = home.idle();
      idle.sort(Comparator.comparingDouble((Unit unit) -> pageOut.rest(unit, now)).reversed());
      for (Unit unit : idle) {
        long[] blocks = Arrays.copyOf(unit.blocks, kept.getOrDefault(unit, unit.blocks.length));
        if (Arrays.stream(blocks).anyMatch(block -> !home.inFlight(block))) {
          touches.add(new Touch(home.replica, blocks));
        }
      }
    }
    return touches;
  }

  /** All of it was told. */
  void told() {
    hints.clear();
    outgrown.clear();
    kept.clear();
  }
}
