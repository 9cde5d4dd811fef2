package dev.colony.core.capability;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionType;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Pointcut;
import dev.colony.blackboard.protocol.KeyGlob;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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

  /**
   * Whether a pointcut holds at a join point: for every call there, for none, or for those that are
   * given certain actions.
   */
  enum Matching {
    NEVER,
    BY_ACTION,
    ALWAYS;

    /**
     * Decides as far as can be known without the call.
     *
     * @param within the capability's key; empty if the called object is none
     */
    static Matching of(
        Pointcut pointcut, String joinPoint, Class<?> target, Optional<String> within) {
      return switch (pointcut) {
        case Pointcut.And and ->
            least(
                of(and.left(), joinPoint, target, within),
                of(and.right(), joinPoint, target, within));
        case Pointcut.Or or ->
            most(
                of(or.left(), joinPoint, target, within),
                of(or.right(), joinPoint, target, within));
        case Pointcut.Not not ->
            switch (of(not.inner(), joinPoint, target, within)) {
              case NEVER -> ALWAYS;
              case BY_ACTION -> BY_ACTION;
              case ALWAYS -> NEVER;
            };
        case Pointcut.Call call -> when(fits(call.toString(), joinPoint));
        case Pointcut.Within key ->
            when(within.filter(is -> fits(key.capabilityKey(), is)).isPresent());
        case Pointcut.Type type ->
            isA(target, type.name()) ? ALWAYS : actionType(type).isPresent() ? BY_ACTION : NEVER;
        case Pointcut.OfAction action -> BY_ACTION;
      };
    }

    static boolean holds(Pointcut pointcut, HookContext call, Optional<String> within) {
      return switch (pointcut) {
        case Pointcut.And and ->
            holds(and.left(), call, within) && holds(and.right(), call, within);
        case Pointcut.Or or -> holds(or.left(), call, within) || holds(or.right(), call, within);
        case Pointcut.Not not -> !holds(not.inner(), call, within);
        case Pointcut.Call named -> fits(named.toString(), call.joinPoint());
        case Pointcut.Within key -> within.filter(is -> fits(key.capabilityKey(), is)).isPresent();
        case Pointcut.Type type ->
            isA(classOf(call.target()), type.name())
                || actionType(type).filter(key -> givenAction(call.arguments(), key)).isPresent();
        case Pointcut.OfAction action -> givenAction(call.arguments(), action.key());
      };
    }

    static Class<?> classOf(Object target) {
      return target == null ? Void.class : target.getClass();
    }

    /** The key of an {@link ActionType}: its name in lower case. */
    private static Optional<String> actionType(Pointcut.Type type) {
      return Arrays.stream(ActionType.values())
          .filter(one -> one.name().equals(type.name()))
          .map(one -> one.name().toLowerCase(Locale.ROOT))
          .findFirst();
    }

    private static boolean givenAction(List<Object> arguments, String key) {
      for (Object argument : arguments) {
        if (argument instanceof Action action && fits(key, action.key())) {
          return true;
        }
      }
      return false;
    }

    private static boolean isA(Class<?> type, String simpleName) {
      return type != null
          && (type.getSimpleName().equals(simpleName)
              || isA(type.getSuperclass(), simpleName)
              || Arrays.stream(type.getInterfaces()).anyMatch(one -> isA(one, simpleName)));
    }

    private static boolean fits(String glob, String text) {
      return new KeyGlob(glob).matches(text);
    }

    private static Matching when(boolean holds) {
      return holds ? ALWAYS : NEVER;
    }

    private static Matching least(Matching one, Matching other) {
      return one.compareTo(other) <= 0 ? one : other;
    }

    private static Matching most(Matching one, Matching other) {
      return one.compareTo(other) >= 0 ? one : other;
    }
  }
}
