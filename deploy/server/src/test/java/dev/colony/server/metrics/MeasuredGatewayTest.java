package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
  private final InferenceGateway measured =
      new ModelFigures(registry).measured(new Scripted(replies));

  /** Refuses by throwing where it has no reply. */
  private record Scripted(Deque<CompletableFuture<InferenceReply>> replies)
      implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
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
    measured.complete(request);
    assertThat(active()).isEqualTo(1);
    assertThat(oldest()).isPositive();
    reply.completeExceptionally(
        new InferenceException(InferenceException.Kind.TIMEOUT, "no answer in time", null));
    assertThat(active()).isZero();
    assertThat(oldest()).isZero();
  }

  private double oldest() {
    return registry.get("colony.model.calls.oldest").gauge().value();
  }

  private double active() {
    return registry.get("colony.model.calls.active").gauge().value();
  }
}
