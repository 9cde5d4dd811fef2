package dev.colony.blackboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AwaitTest {

  @AfterEach
  void goesOn() {
    Thread.interrupted();
  }

  @Test
  void givesTheValue() {
    assertThat(Await.result(CompletableFuture.completedStage(7))).isEqualTo(7);
  }

  @Test
  void throwsWhatTheStageFailedWithAndTellsWhoWaited() {
    CompletableFuture<Object> failing = new CompletableFuture<>();
    IllegalStateException failure = new IllegalStateException("no");
    Thread.ofVirtual().start(() -> failing.completeExceptionally(failure));

    assertThatThrownBy(() -> Await.result(failing.thenApply(any -> any))).isSameAs(failure);
    assertThatThrownBy(() -> Await.result(failing)).isSameAs(failure);

    assertThat(failure.getSuppressed()).hasSize(1);
    assertThat(Arrays.stream(failure.getSuppressed()[0].getStackTrace()))
        .anyMatch(frame -> frame.getClassName().equals(AwaitTest.class.getName()));
  }

  @Test
  void wrapsAFailureThatIsChecked() {
    IOException failure = new IOException("no");

    assertThatThrownBy(() -> Await.result(CompletableFuture.failedStage(failure)))
        .isInstanceOf(CompletionException.class)
        .hasCause(failure);
  }

  @Test
  void cancelsTheStageWhenInterruptedAndStaysInterrupted() {
    CompletableFuture<Object> waiting = new CompletableFuture<>();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> Await.result(waiting))
        .isInstanceOfSatisfying(
            BlackboardException.class,
            failure ->
                assertThat(failure.reason()).isEqualTo(BlackboardException.Reason.INTERRUPTED));

    assertThat(waiting).isCancelled();
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }
}
