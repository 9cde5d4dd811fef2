package dev.colony.vcm.schedule;

import dev.colony.vcm.schedule.Home.Unit;
import dev.colony.vcm.schedule.Orders.Eviction;
import dev.colony.vcm.schedule.Orders.Touch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

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

  /** What paging out one idle resident brings; that of others does not change it. */
  record Valued(Unit unit, double gain) {
    private double perBlock() {
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
   * @param valued what {@link #valued} says of the replica's residents as they are
   * @param always whether also those go whose paging out costs more than it brings
   * @return empty where all of them together would not free enough
   */
  Optional<Victims> free(List<Valued> valued, double blocks, boolean always) {
    double most = 0;
    for (Valued one : valued) {
      most += always || one.gain() > 0 ? one.unit().exclusive : 0;
    }
    if (most < blocks) {
      return Optional.empty();
    }
    List<Unit> units = new ArrayList<>();
    double freed = 0;
    double gain = 0;
    for (Valued one : ranked(valued)) {
      if (freed >= blocks) {
        break;
      }
      if (always || one.gain() > 0) {
        units.add(one.unit());
        freed += one.unit().exclusive;
        gain += one.gain();
      }
    }
    return Optional.of(new Victims(units, gain));
  }

  /**
   * Of all idle residents as many as leave that many blocks free, those that only they share
   * included. What it brings is not asked.
   *
   * @return empty where all of them together would not free enough
   */
  static Optional<Victims> whatever(Home home, double blocks) {
    Map<Long, Integer> users = new HashMap<>();
    List<Unit> units = new ArrayList<>();
    int freed = 0;
    for (Unit unit : home.idle()) {
      if (freed >= blocks) {
        break;
      }
      units.add(unit);
      for (long block : unit.blocks) {
        int left = users.getOrDefault(block, home.claims.users(block)) - 1;
        users.put(block, left);
        freed += left == 0 ? 1 : 0;
      }
    }
    return freed >= blocks ? Optional.of(new Victims(units, 0)) : Optional.empty();
  }

  /** The best to page out first. */
  static List<Valued> ranked(List<Valued> valued) {
    List<Valued> ranked = new ArrayList<>(valued);
    ranked.sort(Comparator.comparingDouble(Valued::perBlock).reversed());
    return ranked;
  }

  /**
   * All idle residents that claim something alone. Holds until a turn begins or ends there, or a
   * unit leaves.
   *
   * @param blockTokens tokens of a block
   */
  List<Valued> valued(Home home, PrefillSpeed speed, double blockTokens, double now) {
    List<Valued> valued = new ArrayList<>();
    for (Unit unit : home.idle()) {
      if (unit.exclusive > 0) {
        valued.add(new Valued(unit, gain(home, unit, speed, blockTokens, now)));
      }
    }
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

  /**
   * How long agents stay away between two turns: from those seen, how much longer one stays that
   * has been away for some time (the mean residual life).
   */
  static final class Absences {

    /** After how many absences the table is made anew. */
    private static final int RENEWED = 200;

    /** Fewer longer ones than that say nothing. */
    private static final int ENOUGH = 5;

    private final int most;
    private final Deque<Double> seen = new ArrayDeque<>();
    private int since;
    private double[] sorted = {};
    private double[] sums = {0};

    /**
     * @param most how many are remembered, the latest
     */
    Absences(int most) {
      this.most = most;
    }

    void seen(double seconds) {
      seen.add(seconds);
      if (seen.size() > most) {
        seen.remove();
      }
      if (++since >= RENEWED) {
        since = 0;
        renew();
      }
    }

    private void renew() {
      sorted = seen.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      sums = new double[sorted.length + 1];
      for (int i = sorted.length - 1; i >= 0; i--) {
        sums[i] = sums[i + 1] + sorted[i];
      }
    }

    /** How much longer, in seconds; 0 where too little was seen. */
    double remaining(double elapsed) {
      int longer = Arrays.binarySearch(sorted, elapsed);
      longer = longer < 0 ? -longer - 1 : longer + 1;
      while (longer > 0 && longer < sorted.length && sorted[longer] == elapsed) {
        longer++;
      }
      int count = sorted.length - longer;
      return count < ENOUGH ? 0 : sums[longer] / count - elapsed;
    }
  }

  /** What was given up since the last orders, and how caches are told of it. */
  static final class CacheOrders {

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
     * What idle residents claim where something was given up, that which is wanted again last
     * first, so that it is the first to go after what was given up.
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
}
