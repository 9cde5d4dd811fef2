package dev.colony.core.capability;

import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.HookRegistry.HookSource;
import dev.colony.agent.author.JoinPoint;
import dev.colony.agent.author.JoinPoint.JoinPoints;
import dev.colony.core.capability.Layers.Matching;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** The hooks of one agent; a change replaces the whole list, so that a call sees one of them. */
public final class AgentHooks implements HookRegistry {

  /** The hooks in the order of their layers, and the layers that agents share. */
  private record Ordered(List<AgentHook> hooks, Layers layers) {

    private static final Ordered NONE = of(List.of());

    static Ordered of(List<AgentHook> hooks) {
      return new Ordered(
          List.copyOf(hooks), Layers.of(hooks.stream().map(AgentHook::pointcut).toList()));
    }
  }

  /** What a hook's own code may take in one call where the hook does not say. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Each lengthens every call that it is for. */
  private static final int MAX_HOOKS = 256;

  private final Duration timeout;
  private final int maxHooks;
  private volatile Ordered ordered = Ordered.NONE;

  /** An empty registry; as long as it is empty it costs the size of one small object. */
  public AgentHooks() {
    this(TIMEOUT, MAX_HOOKS);
  }

  AgentHooks(Duration timeout, int maxHooks) {
    this.timeout = timeout;
    this.maxHooks = maxHooks;
  }

  @Override
  public synchronized void add(AgentHook hook) {
    List<AgentHook> hooks = new ArrayList<>(ordered.hooks);
    if (hooks.size() >= maxHooks) {
      throw new IllegalStateException(
          "the hook " + hook.name() + " is one too many: an agent has at most " + maxHooks);
    }
    int position = 0;
    for (int i = 0; i < hooks.size(); i++) {
      if (hooks.get(i).name().equals(hook.name())) {
        throw new IllegalStateException("the agent has a hook " + hook.name() + " already");
      }
      if (hooks.get(i).priority() >= hook.priority()) {
        position = i + 1;
      }
    }
    hooks.add(position, hook);
    ordered = Ordered.of(hooks);
  }

  @Override
  public synchronized boolean remove(String name) {
    List<AgentHook> hooks = new ArrayList<>(ordered.hooks);
    boolean removed = hooks.removeIf(hook -> hook.name().equals(name));
    if (removed) {
      ordered = hooks.isEmpty() ? Ordered.NONE : Ordered.of(hooks);
    }
    return removed;
  }

  @Override
  public List<AgentHook> hooks() {
    return ordered.hooks;
  }

  @Override
  public <T> T call(HookContext call, Callable<T> method) throws Exception {
    Ordered now = ordered;
    if (now == Ordered.NONE) {
      return method.call();
    }
    Optional<String> within = within(now, call.target());
    int[] layers = now.layers.at(call.joinPoint(), Matching.classOf(call.target()), within);
    return layers.length == 0
        ? method.call()
        : through(now, layers, JoinPoints.named(call.joinPoint()), call, within, method);
  }

  @Override
  public <T> T call(
      JoinPoint at, Agent agent, Object target, Callable<T> method, Object... arguments)
      throws Exception {
    Ordered now = ordered;
    if (now == Ordered.NONE) {
      return method.call();
    }
    Optional<String> within = within(now, target);
    int[] layers = now.layers.at(at.name(), Matching.classOf(target), within);
    if (layers.length == 0) {
      return method.call();
    }
    List<Object> given = Collections.unmodifiableList(Arrays.asList(arguments));
    HookContext call = new HookContext(agent, at.name(), target, given);
    return through(now, layers, at, call, within, method);
  }

  // What a layer puts in place of the method's result has been held against the join point's type.
  @SuppressWarnings("unchecked")
  private <T> T through(
      Ordered now,
      int[] layers,
      JoinPoint at,
      HookContext call,
      Optional<String> within,
      Callable<T> method)
      throws Exception {
    List<AgentHook> matching = new ArrayList<>(layers.length);
    for (int layer : layers) {
      AgentHook hook = now.hooks.get(layer < 0 ? ~layer : layer);
      if (layer >= 0 || Matching.holds(hook.pointcut(), call, within)) {
        matching.add(hook);
      }
    }
    return matching.isEmpty()
        ? method.call()
        : (T) new LayeredCall(matching, at, call, timeout, method).run();
  }

  private static Optional<String> within(Ordered now, Object target) {
    return now.layers.byCapability() && target instanceof AgentCapability capability
        ? Optional.of(capability.capabilityKey())
        : Optional.empty();
  }

  /** The hooks that a capability brings with it. Thread-safe. */
  public static final class CapabilityHooks {

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
     * Adds a new capability's hooks, named {@code capabilityKey.method}, in the order of their
     * names where their priorities are equal.
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
      hooks.forEach(
          hook -> registry.add(hook.named(capability.capabilityKey() + "." + hook.name())));
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
}
