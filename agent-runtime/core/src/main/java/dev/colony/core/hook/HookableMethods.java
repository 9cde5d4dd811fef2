package dev.colony.core.hook;

import dev.colony.agent.author.Hookable;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The hookable methods of a class, its own and its superclasses', and why they are refused. */
final class HookableMethods {

  private HookableMethods() {}

  /**
   * Those that are annotated themselves or override one that is; none for a class that is not to be
   * woven.
   *
   * @throws IllegalStateException if one of them cannot be overridden
   */
  static List<Method> of(Class<?> type) {
    List<Method> hookable = new ArrayList<>();
    for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
      for (Method method : at.getDeclaredMethods()) {
        if (!method.isBridge() && declaredBy(method) != null && !overridden(hookable, method)) {
          checkMethod(type, method);
          hookable.add(method);
        }
      }
    }
    if (!hookable.isEmpty()) {
      checkClass(type, hookable.getFirst());
    }
    return hookable;
  }

  /**
   * The topmost class or interface that declares a method as hookable: it gives the join point its
   * name, so that a pointcut holds for each class that overrides the method.
   */
  static Class<?> declaredBy(Method method) {
    Class<?> topmost =
        method.isAnnotationPresent(Hookable.class) ? method.getDeclaringClass() : null;
    if (!overridable(method)) {
      return topmost;
    }
    Class<?> above = topmostAbove(method.getDeclaringClass(), method);
    return above == null ? topmost : above;
  }

  private static Class<?> topmostAbove(Class<?> type, Method method) {
    List<Class<?>> supertypes = new ArrayList<>(Arrays.asList(type.getInterfaces()));
    if (type.getSuperclass() != null) {
      supertypes.add(type.getSuperclass());
    }
    for (Class<?> supertype : supertypes) {
      Class<?> above = topmostAbove(supertype, method);
      if (above != null) {
        return above;
      }
      if (declares(supertype, method)) {
        return supertype;
      }
    }
    return null;
  }

  private static boolean declares(Class<?> supertype, Method method) {
    return Arrays.stream(supertype.getDeclaredMethods())
        .filter(other -> other.isAnnotationPresent(Hookable.class))
        .anyMatch(other -> overridable(other) && sameSignature(other, method));
  }

  private static boolean overridden(List<Method> below, Method method) {
    return overridable(method)
        && below.stream().anyMatch(other -> overridable(other) && sameSignature(other, method));
  }

  private static boolean overridable(Method method) {
    return !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
  }

  private static boolean sameSignature(Method one, Method other) {
    return one.getName().equals(other.getName())
        && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
  }

  private static void checkMethod(Class<?> type, Method method) {
    int modifiers = method.getModifiers();
    refuse(Modifier.isPrivate(modifiers), type, method, "is private: make it package-private");
    refuse(Modifier.isStatic(modifiers), type, method, "is static: make it an instance method");
    refuse(Modifier.isFinal(modifiers), type, method, "is final: let it be overridden");
    boolean reachable =
        Modifier.isPublic(modifiers)
            || Modifier.isProtected(modifiers)
            || method.getDeclaringClass().getPackage() == type.getPackage();
    refuse(!reachable, type, method, "is package-private in another package: make it protected");
    Class<?> returned = method.getReturnType();
    refuse(
        CompletionStage.class.isAssignableFrom(returned)
            && !returned.isAssignableFrom(CompletableFuture.class),
        type,
        method,
        "returns a " + returned.getSimpleName() + ": return a CompletionStage");
  }

  private static void checkClass(Class<?> type, Method method) {
    refuse(Modifier.isFinal(type.getModifiers()), type, method, "is of a final class: open it");
    refuse(type.isSealed(), type, method, "is of a sealed class: open it");
    boolean constructible =
        Arrays.stream(type.getDeclaredConstructors())
            .map(Constructor::getModifiers)
            .anyMatch(modifiers -> !Modifier.isPrivate(modifiers));
    refuse(!constructible, type, method, "is of a class with private constructors only: open one");
  }

  private static void refuse(boolean wrong, Class<?> type, Method method, String reason) {
    if (wrong) {
      throw new IllegalStateException(
          type.getName()
              + " cannot be bound: the hookable method "
              + method.getName()
              + " "
              + reason);
    }
  }
}
