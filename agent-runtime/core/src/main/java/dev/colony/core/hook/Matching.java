package dev.colony.core.hook;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionType;
import dev.colony.agent.author.HookContext;
import dev.colony.agent.author.Pointcut;
import dev.colony.blackboard.key.KeyGlob;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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
          most(of(or.left(), joinPoint, target, within), of(or.right(), joinPoint, target, within));
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

  /** Decides for one call. */
  static boolean holds(Pointcut pointcut, HookContext call, Optional<String> within) {
    return switch (pointcut) {
      case Pointcut.And and -> holds(and.left(), call, within) && holds(and.right(), call, within);
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
