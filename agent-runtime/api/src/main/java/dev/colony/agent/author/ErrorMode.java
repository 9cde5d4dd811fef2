package dev.colony.agent.author;

import java.util.Objects;
import java.util.function.Function;

/**
 * What becomes of a call when a hook fails: it throws something that the method did not, or takes
 * longer than it may. A failure of the method that an AROUND hook lets through is the method's;
 * interruption, cancellation and an overflow of the stack are always the call's.
 */
public sealed interface ErrorMode {

  /** The call fails with the hook's failure, or with the method's if that has failed already. */
  ErrorMode PROPAGATE = new Propagate();

  /** The call goes on as if the hook was not there; the failure is logged. */
  ErrorMode SUPPRESS = new Suppress();

  /** The call gives a value in place of what it would have given. */
  static ErrorMode fallback(Object value) {
    return new Fallback(call -> value);
  }

  /** See {@link #PROPAGATE}. */
  record Propagate() implements ErrorMode {}

  /** See {@link #SUPPRESS}. */
  record Suppress() implements ErrorMode {}

  /**
   * See {@link #fallback}; a failure of the function is the call's.
   *
   * @param value made for each call that needs it; of the type that the method returns, or for an
   *     asynchronous method, of what it completes with
   */
  record Fallback(Function<HookContext, Object> value) implements ErrorMode {
    public Fallback {
      Objects.requireNonNull(value, "value");
    }
  }
}
