package dev.colony.core.capability;

import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Hookable;
import dev.colony.core.capability.AgentHooks.CapabilityHooks;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Weaves hookable methods into capabilities and policies. Thread-safe.
 *
 * <p>A woven class is a subclass in the package and the class loader of the original, so that
 * package-private classes, constructors and methods can be woven, and what is generated is unloaded
 * with what it was made for. Each class is woven once; a class without hookable methods is its own
 * woven class.
 *
 * <p>An instance knows its agent before the first line of its constructors runs: calls that a
 * constructor makes to hookable methods of its own go through the hooks that the agent has by then,
 * and hooks see an object that is only half made, as an overriding method would.
 */
public final class Weaver {

  private static final ClassValue<Class<?>> WOVEN =
      new ClassValue<>() {
        @Override
        protected Class<?> computeValue(Class<?> type) {
          return HookableMethods.of(type).isEmpty() ? type : WovenClass.of(type);
        }
      };

  private Weaver() {}

  /**
   * Refuses a class that cannot be woven, or whose hook methods cannot be called. Cost: reflection
   * over the class and its supertypes; nothing is generated or instantiated.
   *
   * @throws IllegalStateException naming the class, the method and what to change, in one line
   */
  public static void check(Class<?> type) {
    HookableMethods.of(type);
    CapabilityHooks.check(type);
  }

  /**
   * The class to instantiate in place of a class: the class itself if nothing in it is hookable,
   * otherwise a subclass whose constructors take the {@link Agent} first and then what the
   * original's take.
   *
   * @throws IllegalStateException as {@link #check} throws it
   */
  public static <T> Class<? extends T> weave(Class<T> type) {
    return WOVEN.get(type).asSubclass(type);
  }

  /** The class that a class was woven from; a class that is not woven itself. */
  public static Class<?> original(Class<?> type) {
    return type.isSynthetic() && type.getName().endsWith(WovenClass.SUFFIX)
        ? type.getSuperclass()
        : type;
  }

  /**
   * Makes an instance whose hookable methods are called through the hooks of the agent that its
   * {@link CapabilityContext} or {@link PolicyContext} names; of a detached capability, and of what
   * takes neither, a plain one.
   *
   * @param constructor of the original class
   * @throws InvocationTargetException with what the constructor threw
   */
  public static <T> T construct(Constructor<T> constructor, Object... arguments)
      throws ReflectiveOperationException {
    Optional<Agent> agent = Arrays.stream(arguments).flatMap(Weaver::agent).findFirst();
    if (agent.isPresent()) {
      return construct(agent.get(), constructor, arguments);
    }
    constructor.setAccessible(true);
    return constructor.newInstance(arguments);
  }

  /** The same for an agent that the arguments do not name. */
  static <T> T construct(Agent agent, Constructor<T> constructor, Object... arguments)
      throws ReflectiveOperationException {
    Class<T> type = constructor.getDeclaringClass();
    Class<? extends T> woven = weave(type);
    if (woven == type) {
      constructor.setAccessible(true);
      return constructor.newInstance(arguments);
    }
    Constructor<? extends T> hooked =
        woven.getDeclaredConstructor(
            MethodType.methodType(void.class, constructor.getParameterTypes())
                .insertParameterTypes(0, Agent.class)
                .parameterArray());
    hooked.setAccessible(true);
    return hooked.newInstance(Stream.concat(Stream.of(agent), Stream.of(arguments)).toArray());
  }

  private static Stream<Agent> agent(Object argument) {
    return switch (argument) {
      case CapabilityContext context -> context.agent().stream();
      case PolicyContext context -> Stream.of(context.agent());
      case null, default -> Stream.empty();
    };
  }

  /** The hookable methods of a class, its own and its superclasses', and why they are refused. */
  static final class HookableMethods {

    private HookableMethods() {}

    /**
     * Those that are annotated themselves or override one that is; none for a class that is not to
     * be woven.
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
     * The topmost class or interface that declares a method as hookable: it gives the join point
     * its name, so that a pointcut holds for each class that overrides the method.
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
      return !Modifier.isPrivate(method.getModifiers())
          && !Modifier.isStatic(method.getModifiers());
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
      refuse(
          !constructible, type, method, "is of a class with private constructors only: open one");
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
}
