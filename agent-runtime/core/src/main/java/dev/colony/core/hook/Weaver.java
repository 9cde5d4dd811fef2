package dev.colony.core.hook;

import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Optional;
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
}
