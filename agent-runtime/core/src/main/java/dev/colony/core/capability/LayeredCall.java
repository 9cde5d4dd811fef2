package dev.colony.core.capability;

import dev.colony.agent.AgentException;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.AgentHook.ErrorMode;
import dev.colony.agent.author.AgentHook.HookCode;
import dev.colony.agent.author.AgentHook.HookCode.Proceed;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.JoinPoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way through the layers of its hooks. Interruption and cancellation are meant for
 * the caller, and at the end of memory or of the stack nothing can be mended: these go through,
 * whatever a hook's error mode is.
 */
final class LayeredCall {

  private static final Logger LOG = LoggerFactory.getLogger(LayeredCall.class);

  /** How the rest of a call ended. */
  private record Outcome(Object value, Throwable failure) {}

  private final List<AgentHook> hooks;
  private final JoinPoint at;
  private final HookContext call;
  private final Duration timeout;
  private final Callable<?> method;

  LayeredCall(
      List<AgentHook> hooks, JoinPoint at, HookContext call, Duration timeout, Callable<?> method) {
    this.hooks = hooks;
    this.at = at;
    this.call = call;
    this.timeout = timeout;
    this.method = method;
  }

  Object run() throws Exception {
    return layer(0);
  }

  private Object layer(int depth) throws Exception {
    if (depth == hooks.size()) {
      return method.call();
    }
    AgentHook hook = hooks.get(depth);
    return switch (hook.code()) {
      case HookCode.Before code -> before(hook, code, depth + 1);
      case HookCode.After code -> after(hook, code, depth + 1);
      case HookCode.Around code -> around(hook, code, depth + 1);
    };
  }

  private Object before(AgentHook hook, HookCode.Before code, int inner) throws Exception {
    Throwable failure = failureOf(hook, () -> code.before(call));
    if (failure == null) {
      return layer(inner);
    }
    return switch (hook.onError()) {
      case ErrorMode.Propagate propagate -> throw LayeredCall.<RuntimeException>asItIs(failure);
      case ErrorMode.Suppress suppress -> {
        log(hook, failure);
        yield layer(inner);
      }
      case ErrorMode.Fallback fallback -> fallback(hook, fallback, failure);
    };
  }

  private Object after(AgentHook hook, HookCode.After code, int inner) throws Exception {
    Outcome outcome = outcomeOf(inner);
    if (outcome.failure == null && outcome.value instanceof CompletionStage<?> stage) {
      return afterCompletion(hook, code, stage);
    }
    return give(ended(hook, code, outcome));
  }

  private CompletionStage<?> afterCompletion(
      AgentHook hook, HookCode.After code, CompletionStage<?> stage) {
    CompletableFuture<Object> seen = new CompletableFuture<>();
    stage.whenCompleteAsync(
        (value, thrown) -> complete(seen, hook, code, new Outcome(value, unwrapped(thrown))),
        Thread::startVirtualThread);
    seen.whenComplete((value, thrown) -> {
      if (seen.isCancelled()) {
        stage.toCompletableFuture().cancel(true);
      }
    });
    return seen;
  }

  private void complete(
      CompletableFuture<Object> seen, AgentHook hook, HookCode.After code, Outcome outcome) {
    Outcome end;
    try {
      end = ended(hook, code, outcome);
    } catch (Throwable thrown) {
      end = new Outcome(null, thrown);
    }
    if (end.failure != null) {
      seen.completeExceptionally(end.failure);
    } else if (end.value instanceof CompletionStage<?> fallback) {
      fallback.whenComplete((value, thrown) -> {
        if (thrown == null) {
          seen.complete(value);
        } else {
          seen.completeExceptionally(unwrapped(thrown));
        }
      });
    } else {
      seen.complete(end.value);
    }
  }

  /** What a call gives once its AFTER hook has seen how it ended. */
  private Outcome ended(AgentHook hook, HookCode.After code, Outcome outcome) {
    Throwable failure = failureOf(hook, () -> code.after(call, outcome.value, outcome.failure));
    if (failure == null) {
      return outcome;
    }
    return switch (hook.onError()) {
      case ErrorMode.Propagate propagate -> {
        if (outcome.failure == null) {
          yield new Outcome(null, failure);
        }
        if (outcome.failure != failure) {
          outcome.failure.addSuppressed(failure);
        }
        yield outcome;
      }
      case ErrorMode.Suppress suppress -> {
        log(hook, failure);
        yield outcome;
      }
      case ErrorMode.Fallback fallback -> new Outcome(fallback(hook, fallback, failure), null);
    };
  }

  private Object around(AgentHook hook, HookCode.Around code, int inner) throws Exception {
    Rest rest = new Rest(hook, inner);
    Throwable failure;
    try {
      rest.deadline.start();
      Object value = at.admit(hook, code.around(call, rest));
      if (!rest.deadline.stop()) {
        return value;
      }
      failure = tooLong(hook, null);
    } catch (Throwable thrown) {
      boolean expired = rest.deadline.stop();
      if (rest.outcome != null && thrown == rest.outcome.failure) {
        throw thrown;
      }
      failure = expired ? tooLong(hook, thrown) : thrown;
    }
    notTheCallers(failure);
    return switch (hook.onError()) {
      case ErrorMode.Propagate propagate -> throw LayeredCall.<RuntimeException>asItIs(failure);
      case ErrorMode.Suppress suppress -> {
        log(hook, failure);
        yield rest.outcome == null ? layer(inner) : give(rest.outcome);
      }
      case ErrorMode.Fallback fallback -> fallback(hook, fallback, failure);
    };
  }

  private final class Rest implements Proceed {

    private final AgentHook hook;
    private final int inner;
    private final HookDeadline deadline;
    private volatile Outcome outcome;

    Rest(AgentHook hook, int inner) {
      this.hook = hook;
      this.inner = inner;
      this.deadline = new HookDeadline(hook.timeout().orElse(timeout));
    }

    @Override
    public Object proceed() throws Exception {
      boolean counted = deadline.ofThisThread();
      if (counted && deadline.stop()) {
        throw tooLong(hook, null);
      }
      outcome = outcomeOf(inner);
      if (counted) {
        deadline.start();
      }
      return give(outcome);
    }
  }

  /** What a hook's code may throw. */
  private interface Code {
    void run() throws Exception;
  }

  /** How a hook failed; null if it did not. */
  private Throwable failureOf(AgentHook hook, Code code) {
    HookDeadline deadline = new HookDeadline(hook.timeout().orElse(timeout));
    Throwable failure = null;
    try {
      deadline.start();
      code.run();
    } catch (Throwable thrown) {
      failure = thrown;
    }
    if (deadline.stop()) {
      failure = tooLong(hook, failure);
    }
    notTheCallers(failure);
    return failure;
  }

  private Outcome outcomeOf(int inner) {
    try {
      return new Outcome(layer(inner), null);
    } catch (Throwable thrown) {
      return new Outcome(null, thrown);
    }
  }

  private Object fallback(AgentHook hook, ErrorMode.Fallback fallback, Throwable failure) {
    log(hook, failure);
    return at.admit(hook, fallback.value().apply(call));
  }

  private AgentException tooLong(AgentHook hook, Throwable cause) {
    return new AgentException(
        "the hook "
            + hook.name()
            + " took longer than "
            + hook.timeout().orElse(timeout)
            + " at "
            + at.name(),
        cause,
        true);
  }

  private void log(AgentHook hook, Throwable failure) {
    LOG.warn("the hook {} failed at {}", hook.name(), at.name(), failure);
  }

  private static Object give(Outcome outcome) {
    if (outcome.failure != null) {
      throw LayeredCall.<RuntimeException>asItIs(outcome.failure);
    }
    return outcome.value;
  }

  /** Throws on what no hook may keep from the caller. */
  private static void notTheCallers(Throwable failure) {
    boolean callers =
        failure instanceof InterruptedException
            || failure instanceof CancellationException
            || failure instanceof VirtualMachineError;
    if (callers) {
      throw LayeredCall.<RuntimeException>asItIs(failure);
    }
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  // Checked exceptions keep their type on the way through code that does not declare them.
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E asItIs(Throwable failure) throws E {
    throw (E) failure;
  }
}
