package dev.colony.core.hook;

import dev.colony.agent.author.Pointcut;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The pointcuts of an agent's hooks in the order of their layers, and which of them hold where.
 * Agents with the same pointcuts share one, so that a hundred thousand agents of one blueprint
 * match once. What is known of a class goes with the class. Thread-safe.
 */
final class Layers {

  /** Where a call is made, beside the class. */
  private record Site(String joinPoint, Optional<String> within) {}

  /**
   * Sites that are remembered for each class; further ones are matched at each call. Capability
   * keys come from blueprints, of which there may be any number.
   */
  private static final int MAX_SITES = 256;

  private static final Map<List<Pointcut>, WeakReference<Layers>> SHARED = new WeakHashMap<>();

  private final List<Pointcut> pointcuts;
  private final boolean byCapability;
  private final ClassValue<Map<Site, int[]>> known =
      new ClassValue<>() {
        @Override
        protected Map<Site, int[]> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private Layers(List<Pointcut> pointcuts) {
    this.pointcuts = pointcuts;
    this.byCapability = pointcuts.stream().anyMatch(Layers::asksForCapability);
  }

  static Layers of(List<Pointcut> pointcuts) {
    synchronized (SHARED) {
      WeakReference<Layers> shared = SHARED.get(pointcuts);
      Layers layers = shared == null ? null : shared.get();
      if (layers == null) {
        layers = new Layers(List.copyOf(pointcuts));
        // The key has to be the one that lives as long as the value, not an equal one of before.
        SHARED.remove(pointcuts);
        SHARED.put(layers.pointcuts, new WeakReference<>(layers));
      }
      return layers;
    }
  }

  /** Whether it matters which capability a call is made within. */
  boolean byCapability() {
    return byCapability;
  }

  /**
   * The positions of the layers that may hold there, the outermost first; one that depends on the
   * call's action as its complement.
   */
  int[] at(String joinPoint, Class<?> target, Optional<String> within) {
    Map<Site, int[]> sites = known.get(target);
    Site site = new Site(joinPoint, within);
    int[] found = sites.get(site);
    if (found == null) {
      found = match(joinPoint, target, within);
      if (sites.size() < MAX_SITES) {
        sites.put(site, found);
      }
    }
    return found;
  }

  private int[] match(String joinPoint, Class<?> target, Optional<String> within) {
    List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < pointcuts.size(); i++) {
      switch (Matching.of(pointcuts.get(i), joinPoint, target, within)) {
        case ALWAYS -> positions.add(i);
        case BY_ACTION -> positions.add(~i);
        case NEVER -> {}
      }
    }
    return positions.stream().mapToInt(Integer::intValue).toArray();
  }

  private static boolean asksForCapability(Pointcut pointcut) {
    return switch (pointcut) {
      case Pointcut.And and -> asksForCapability(and.left()) || asksForCapability(and.right());
      case Pointcut.Or or -> asksForCapability(or.left()) || asksForCapability(or.right());
      case Pointcut.Not not -> asksForCapability(not.inner());
      case Pointcut.Within within -> true;
      case Pointcut.Call call -> false;
      case Pointcut.Type type -> false;
      case Pointcut.OfAction action -> false;
    };
  }
}
