package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Model calls that are under way, however they end. */
class MeasuredGatewayTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Deque<CompletableFuture<InferenceReply>> replies = new ArrayDeque<>();
  private final Deque<Consumer<InferenceDelta>> calls = new ArrayDeque<>();
  private final InferenceGateway measured =
      new ModelFigures(registry).measured(new Scripted(replies, calls));

  /** Refuses by throwing where it has no reply. */
  private record Scripted(
      Deque<CompletableFuture<InferenceReply>> replies, Deque<Consumer<InferenceDelta>> calls)
      implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      calls.add(parts);
      return replies.remove();
    }

    @Override
    public void close() {}
  }

  @Test
  void aCallIsUnderWayFromWhenItIsTakenUntilItEnds() {
    InferenceRequest request = null;
    assertThatThrownBy(() -> measured.complete(request)).isInstanceOf(RuntimeException.class);
    assertThat(active()).as("what was refused has not begun").isZero();
    CompletableFuture<InferenceReply> reply = new CompletableFuture<>();
    replies.add(reply);
    calls.clear();
    measured.complete(request);
    assertThat(active()).isEqualTo(1);
    double before = silent();
    assertThat(before).isPositive();
    calls.peek().accept(new InferenceDelta.Asked("r", "m", true));
    assertThat(silent()).as("asked is not answered").isGreaterThanOrEqualTo(before);
    await().until(() -> silent() > 1);
    double silent = silent();
    calls.remove().accept(new InferenceDelta.Text("a token"));
    assertThat(silent()).isLessThan(silent);
    reply.completeExceptionally(
        new InferenceException(InferenceException.Kind.TIMEOUT, "no answer in time", null));
    assertThat(active()).isZero();
    assertThat(silent()).isZero();
  }

  private double silent() {
    return registry.get("colony.model.calls.silent").gauge().value();
  }

  private double active() {
    return registry.get("colony.model.calls.active").gauge().value();
  }
}
