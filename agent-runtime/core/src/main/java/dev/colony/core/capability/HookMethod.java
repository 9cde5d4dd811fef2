package dev.colony.core.capability;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.AgentHook.ErrorMode;
import dev.colony.agent.author.AgentHook.HookCode;
import dev.colony.agent.author.AgentHook.HookCode.Proceed;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Pointcut;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A {@link Hook} method of a class, read once and bound to each instance. */
final class HookMethod {

  /** What a parameter is given. */
  private enum Given {
    CALL,
    RESULT,
    FAILURE,
    PROCEED
  }

  private final Method method;
  private final AgentHook.When when;
  private final Pointcut pointcut;
  private final Hook hook;
  private final List<Given> parameters;
  private final Optional<Duration> timeout;
  private final Optional<Method> fallback;

  private HookMethod(Class<?> type, Method method, Hook hook) {
    this.method = method;
    this.hook = hook;
    this.when = when(hook);
    this.pointcut = Pointcut.parse(hook.before() + hook.after() + hook.around());
    require(!Modifier.isStatic(method.getModifiers()), "it is static");
    this.parameters = Arrays.stream(method.getParameterTypes()).map(this::given).toList();
    require(parameters.stream().distinct().count() == parameters.size(), "it takes a thing twice");
    if (when == AgentHook.When.AROUND) {
      require(parameters.contains(Given.PROCEED), "it takes no Proceed");
      require(method.getReturnType() != void.class, "it does not return what the call is to give");
    }
    this.timeout = timeout(hook.timeout());
    this.fallback = fallback(type, hook);
    method.setAccessible(true);
  }

  /**
   * Reads a method.
   *
   * @throws IllegalStateException if it is malformed, naming class and method
   */
  static HookMethod read(Class<?> type, Method method) {
    try {
      return new HookMethod(type, method, method.getAnnotation(Hook.class));
    } catch (IllegalArgumentException refused) {
      throw new IllegalStateException(
          type.getName()
              + " cannot be bound: the hook method "
              + method.getName()
              + ": "
              + refused.getMessage(),
          refused);
    }
  }

  AgentHook bind(Object instance) {
    HookCode code =
        switch (when) {
          case BEFORE -> (HookCode.Before) call -> invoke(instance, call, null, null, null);
          case AFTER ->
              (HookCode.After)
                  (call, result, failure) -> {
                    if (wants(result, failure)) {
                      invoke(instance, call, result, failure, null);
                    }
                  };
          case AROUND ->
              (HookCode.Around) (call, proceed) -> invoke(instance, call, null, null, proceed);
        };
    ErrorMode onError =
        switch (hook.onError()) {
          case PROPAGATE -> ErrorMode.PROPAGATE;
          case SUPPRESS -> ErrorMode.SUPPRESS;
          case FALLBACK -> new ErrorMode.Fallback(call -> fallback(instance, call));
        };
    return new AgentHook(method.getName(), pointcut, hook.priority(), onError, timeout, code);
  }

  private Object invoke(
      Object instance, HookContext call, Object result, Throwable failure, Proceed proceed)
      throws Exception {
    Object[] arguments =
        parameters.stream()
            .map(given ->
                switch (given) {
                  case CALL -> call;
                  case RESULT -> result;
                  case FAILURE -> failure;
                  case PROCEED -> proceed;
                })
            .toArray();
    return invoke(method, instance, arguments);
  }

  private Object fallback(Object instance, HookContext call) {
    Method gives = fallback.orElseThrow();
    try {
      return gives.getParameterCount() == 0
          ? invoke(gives, instance)
          : invoke(gives, instance, call);
    } catch (RuntimeException thrown) {
      throw thrown;
    } catch (Exception thrown) {
      throw new IllegalStateException("the fallback " + gives.getName() + " failed", thrown);
    }
  }

  private static Object invoke(Method method, Object instance, Object... arguments)
      throws Exception {
    try {
      return method.invoke(instance, arguments);
    } catch (InvocationTargetException thrown) {
      switch (thrown.getCause()) {
        case Exception exception -> throw exception;
        case Error error -> throw error;
        default -> throw thrown;
      }
    }
  }

  /** Whether an AFTER method is for a call that ended so. */
  private boolean wants(Object result, Throwable failure) {
    int takesResult = parameters.indexOf(Given.RESULT);
    int takesFailure = parameters.indexOf(Given.FAILURE);
    if (takesResult < 0 && takesFailure < 0) {
      return true;
    }
    return failure == null ? fits(takesResult, result) : fits(takesFailure, failure);
  }

  private boolean fits(int parameter, Object value) {
    if (parameter < 0) {
      return false;
    }
    Class<?> wanted = method.getParameterTypes()[parameter];
    return value == null
        ? !wanted.isPrimitive()
        : MethodType.methodType(wanted).wrap().returnType().isInstance(value);
  }

  private Given given(Class<?> parameter) {
    if (parameter == HookContext.class) {
      return Given.CALL;
    }
    if (parameter == Proceed.class) {
      require(when == AgentHook.When.AROUND, "only a hook around a call takes a Proceed");
      return Given.PROCEED;
    }
    require(
        when == AgentHook.When.AFTER,
        "it cannot be given a " + parameter.getSimpleName() + ": only after a call there is more");
    return Throwable.class.isAssignableFrom(parameter) ? Given.FAILURE : Given.RESULT;
  }

  private static AgentHook.When when(Hook hook) {
    long said =
        Stream.of(hook.before(), hook.after(), hook.around())
            .filter(pointcut -> !pointcut.isEmpty())
            .count();
    require(said == 1, "it is to say exactly one of before, after and around");
    return !hook.before().isEmpty()
        ? AgentHook.When.BEFORE
        : hook.after().isEmpty() ? AgentHook.When.AROUND : AgentHook.When.AFTER;
  }

  private static Optional<Duration> timeout(String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      Duration timeout = ConfigFactory.parseMap(Map.of("timeout", text)).getDuration("timeout");
      require(timeout.isPositive(), "its timeout must be positive, not: " + text);
      return Optional.of(timeout);
    } catch (ConfigException notOne) {
      throw new IllegalArgumentException("its timeout is a duration like 30s, not: " + text);
    }
  }

  private static Optional<Method> fallback(Class<?> type, Hook hook) {
    boolean wanted = hook.onError() == Hook.OnError.FALLBACK;
    require(wanted == !hook.fallback().isEmpty(), "FALLBACK and a fallback go together");
    if (!wanted) {
      return Optional.empty();
    }
    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
      for (Method method : at.getDeclaredMethods()) {
        Class<?>[] takes = method.getParameterTypes();
        boolean callable = takes.length == 0 || takes.length == 1 && takes[0] == HookContext.class;
        if (method.getName().equals(hook.fallback()) && callable && !method.isSynthetic()) {
          method.setAccessible(true);
          return Optional.of(method);
        }
      }
    }
    throw new IllegalArgumentException(
        "there is no method " + hook.fallback() + " that takes nothing or a HookContext");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
