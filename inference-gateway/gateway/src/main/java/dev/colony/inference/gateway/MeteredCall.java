package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.budget.Reservation.Later;
import dev.colony.inference.budget.Reservation.Refused;
import dev.colony.inference.budget.Reservation.Reserved;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts.RetryClock;
import dev.colony.inference.gateway.Spending.Completion;
import dev.colony.inference.provider.ModelClient.UsageTally;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.LongUnaryOperator;

/**
 * What one call spends: the first completion of an attempt, a repair of its reply, and one with
 * more room are each let begin and counted for themselves.
 */
final class MeteredCall extends UsageTally {

  /** A completion may not begin yet, and its slot is of use to others meanwhile. */
  static final class NotYet extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final Duration after;

    private NotYet(Later later) {
      super(later.reason(), null, false, false);
      this.after = later.after();
    }

    /** When to ask again. */
    Duration after() {
      return after;
    }
  }

  private static final Future<?> NEVER = new CompletableFuture<>();

  private final Optional<Spending> spending;
  private final InferenceRequest request;
  private final RetryClock clock;
  private final CallObserver observer;
  private final long end;
  private Optional<Completion> open = Optional.empty();
  private String model = "";
  private LongUnaryOperator cached = promptTokens -> 0;
  private boolean begun;

  /**
   * @param end when the call is late, by the clock
   */
  MeteredCall(
      Optional<Spending> spending,
      InferenceRequest request,
      RetryClock clock,
      CallObserver observer,
      long end) {
    this.spending = spending;
    this.request = request;
    this.clock = clock;
    this.observer = observer;
    this.end = end;
  }

  /**
   * An attempt begins.
   *
   * @param of the name of the model that is asked, by which it has its price; empty for the one
   *     that has none
   * @param expected how many of a prompt's tokens are expected in the replica's cache
   */
  void attempt(String of, LongUnaryOperator expected) {
    model = of;
    cached = expected;
    begun = false;
  }

  @Override
  protected long expectedCached(long promptTokens) {
    return cached.applyAsLong(promptTokens);
  }

  /**
   * @throws NotYet for the first completion of an attempt
   * @throws InferenceException if it may not begin, or not within the call's deadline
   */
  @Override
  protected void begins(long promptTokens, long replyTokens) throws InterruptedException {
    if (spending.isEmpty()) {
      return;
    }
    Completion completion = spending.get().completion(request, model, promptTokens, replyTokens);
    Optional<Later> wait = wait(completion);
    while (wait.isPresent()) {
      Duration after = wait.get().after();
      if (after.compareTo(left()) >= 0) {
        throw failure(
            Kind.OVERLOADED,
            wait.get().reason() + ": the call would begin after its deadline",
            Optional.of(after));
      }
      if (!begun) {
        throw new NotYet(wait.get());
      }
      clock.sleep(after, NEVER);
      wait = wait(completion);
    }
    open = Optional.of(completion);
    begun = true;
  }

  /** Empty where it may begin. */
  private Optional<Later> wait(Completion completion) throws InterruptedException {
    try {
      return completion
          .reserve(left())
          .flatMap(answer ->
              switch (answer) {
                case Reserved reserved -> Optional.empty();
                case Later later -> Optional.of(later);
                case Refused refused ->
                    throw failure(Kind.OUT_OF_BUDGET, refused.reason(), Optional.empty());
              });
    } catch (TimeoutException silent) {
      throw failure(Kind.TIMEOUT, "what the call may spend was not told in time", Optional.empty());
    }
  }

  private Duration left() {
    return Duration.ofNanos(Math.max(0, end - clock.nanos()));
  }

  private InferenceException failure(Kind kind, String message, Optional<Duration> retryAfter) {
    return new InferenceException(kind, message, null, total(), retryAfter);
  }

  @Override
  protected synchronized void ended(Optional<Usage> used) {
    super.ended(used);
    open.ifPresent(completion ->
        used.ifPresentOrElse(
            usage -> observer.spent(request, completion.ended(usage)), completion::failed));
    open = Optional.empty();
  }
}
