package dev.colony.spring;

import dev.colony.agent.AgentRun;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.Sessions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Times what is asked of a colony, its agents, runs and sessions: {@code colony.calls}, by {@code
 * call} (the interface and the method) and {@code outcome}. The outcome of a run is its status, of
 * another call {@code ok}, and of both {@code error} where the future fails. A call that gives no
 * future is not timed.
 */
final class MeteredCalls implements InvocationHandler {

  private static final List<Class<?>> METERED =
      List.of(Colony.class, AgentHandle.class, RunHandle.class, Sessions.class);

  private final Class<?> type;
  private final Object target;
  private final MeterRegistry registry;

  private MeteredCalls(Class<?> type, Object target, MeterRegistry registry) {
    this.type = type;
    this.target = target;
    this.registry = registry;
  }

  static <T> T of(Class<T> type, T target, MeterRegistry registry) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            new MeteredCalls(type, target, registry)));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    // What an interface does itself by its own other calls is timed as these.
    if (method.isDefault() && !overridden(method)) {
      return InvocationHandler.invokeDefault(proxy, method, args);
    }
    Timer.Sample begun = Timer.start(registry);
    Object result;
    try {
      result = method.invoke(target, args);
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
    if (result instanceof CompletableFuture<?> future) {
      future.whenComplete((value, failure) ->
          begun.stop(timer(method, failure == null ? outcome(value) : "error")));
      // Only that of a spawned agent holds something that is metered.
      return type == Colony.class ? future.thenApply(this::metered) : future;
    }
    return metered(result);
  }

  private boolean overridden(Method method) throws NoSuchMethodException {
    return !target.getClass().getMethod(method.getName(), method.getParameterTypes()).isDefault();
  }

  private Timer timer(Method method, String outcome) {
    return Timer.builder("colony.calls")
        .description("Time until a call to a colony, an agent, a run or a session is answered")
        .tag("call", type.getSimpleName() + "." + method.getName())
        .tag("outcome", outcome)
        .register(registry);
  }

  private static String outcome(Object value) {
    return value instanceof AgentRun run ? run.status().name().toLowerCase(Locale.ROOT) : "ok";
  }

  private Object metered(Object result) {
    for (Class<?> one : METERED) {
      if (one.isInstance(result)) {
        return metered(one, result);
      }
    }
    return result;
  }

  private <T> T metered(Class<T> one, Object result) {
    return of(one, one.cast(result), registry);
  }
}
