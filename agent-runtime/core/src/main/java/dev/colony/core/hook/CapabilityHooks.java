package dev.colony.core.hook;

import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.HookRegistry.HookSource;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The hooks that a capability brings with it. Thread-safe. */
public final class CapabilityHooks {

  private static final ClassValue<List<HookMethod>> KNOWN =
      new ClassValue<>() {
        @Override
        protected List<HookMethod> computeValue(Class<?> type) {
          return read(type);
        }
      };

  private CapabilityHooks() {}

  /**
   * Refuses a class with a {@link Hook} method that cannot be called.
   *
   * @throws IllegalStateException naming the class, the method and what is wrong, in one line
   */
  public static void check(Class<?> type) {
    KNOWN.get(type);
  }

  /**
   * Adds a new capability's hooks, named {@code capabilityKey.method}, in the order of their names
   * where their priorities are equal.
   *
   * @throws IllegalStateException as {@link #check} or {@link HookRegistry#add} throw it
   */
  public static void add(AgentCapability capability, HookRegistry registry) {
    List<AgentHook> hooks = new ArrayList<>();
    KNOWN.get(capability.getClass()).forEach(method -> hooks.add(method.bind(capability)));
    if (capability instanceof HookSource source) {
      hooks.addAll(source.hooks());
    }
    hooks.sort(Comparator.comparing(AgentHook::name));
    hooks.forEach(hook -> registry.add(hook.named(capability.capabilityKey() + "." + hook.name())));
  }

  private static List<HookMethod> read(Class<?> type) {
    List<Method> seen = new ArrayList<>();
    List<HookMethod> hooks = new ArrayList<>();
    for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
      if (at.isSynthetic()) {
        // A woven class overrides hookable methods without their annotations.
        continue;
      }
      for (Method method : at.getDeclaredMethods()) {
        boolean overridden = seen.stream().anyMatch(below -> sameSignature(below, method));
        if (method.isAnnotationPresent(Hook.class) && !method.isBridge() && !overridden) {
          hooks.add(HookMethod.read(type, method));
        }
        if (!method.isSynthetic()) {
          seen.add(method);
        }
      }
    }
    return List.copyOf(hooks);
  }

  private static boolean sameSignature(Method one, Method other) {
    return one.getName().equals(other.getName())
        && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
  }
}
