package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A node that leaves waits for its model calls, and begins none. */
class InFlightModelCallsTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final InFlightModelCalls calls = new InFlightModelCalls();

  @Test
  void withoutCallsThereIsNothingToWaitFor() {
    assertThat(calls.make(new CancellationToken(), () -> "reply")).isEqualTo("reply");
    assertThat(calls.close(LONG)).isCompletedWithValue(0);
  }

  @Test
  void callThatIsUnderWayEndsFirst() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    CompletableFuture<String> call =
        CompletableFuture.supplyAsync(() ->
            calls.make(
                new CancellationToken(),
                () -> {
                  begun.countDown();
                  await(ends);
                  return "reply";
                }));
    await(begun);
    CompletableFuture<Integer> over = calls.close(LONG).toCompletableFuture();
    assertThat(over).isNotDone();
    assertThat(calls.close(Duration.ZERO).toCompletableFuture().join()).isEqualTo(1);
    ends.countDown();
    assertThat(call.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo("reply");
    assertThat(over.orTimeout(20, TimeUnit.SECONDS).join()).isZero();
  }

  @Test
  void callThatComesLaterWaitsForTheEndOfItsWorkAndIsNotMade() {
    calls.close(LONG);
    AtomicBoolean made = new AtomicBoolean();
    CancellationToken token = new CancellationToken();
    CompletableFuture<Boolean> call =
        CompletableFuture.supplyAsync(() -> calls.make(token, () -> made.getAndSet(true)));
    token.cancel();
    assertThatThrownBy(() -> call.orTimeout(20, TimeUnit.SECONDS).join())
        .satisfiesAnyOf(
            failure -> assertThat(failure).isInstanceOf(CancellationException.class),
            failure ->
                assertThat(failure)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(CancellationException.class));
    assertThat(made).isFalse();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
