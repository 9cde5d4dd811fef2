package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.ModelCall;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.node.NodePorts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ModelCallerTest {

  private static final ModelCall CALL = new ModelCall("", List.of(), "?", Optional.empty(), 4);

  private static final CallContext CONTEXT = CallContext.within(Duration.ofMinutes(1));

  private final CompletableFuture<InferenceReply> reply = new CompletableFuture<>();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CancellationToken token = new CancellationToken();
  private final ModelCaller models =
      new ModelCaller(
          NodePorts.none().with(InferenceGateway.class, new Silent()),
          Duration.ofMinutes(1),
          new Backoff(Duration.ofMillis(1), Duration.ofMillis(1)),
          10_000,
          100);

  @Test
  void cancellingTheWorkCancelsTheCallAtTheServer() throws Exception {
    CompletableFuture<Throwable> thrown = call();
    asked.await();
    token.cancel();
    assertThat(thrown.get()).isInstanceOf(CancellationException.class);
    assertThat(reply).isCancelled();
  }

  @Test
  void interruptingTheCallerCancelsTheCallAtTheServer() throws Exception {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread caller = Thread.ofVirtual().start(() -> thrown.complete(attempt()));
    asked.await();
    caller.interrupt();
    assertThat(thrown.get()).isInstanceOf(CancellationException.class);
    assertThat(reply).isCancelled();
  }

  @Test
  void aCallThatTheNodesEndCutsOffDoesNotFailItsRun() throws Exception {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() ->
            thrown.complete(
                catchThrowable(() ->
                    models
                        .underWay()
                        .make(
                            token,
                            () ->
                                models.call(
                                    "call",
                                    CALL,
                                    ModelChoice.DEFAULT,
                                    CONTEXT,
                                    token,
                                    tokens -> {},
                                    part -> {})))));
    asked.await();
    assertThat(models.finish(Duration.ZERO).toCompletableFuture().get()).isEqualTo(1);
    reply.completeExceptionally(
        new InferenceException(InferenceException.Kind.TIMEOUT, "call was aborted", null));
    await().until(() -> models.finish(Duration.ZERO).toCompletableFuture().get() == 0);
    assertThat(thrown).isNotDone();
    token.cancel();
    assertThat(thrown.get()).isInstanceOf(CancellationException.class);
  }

  private CompletableFuture<Throwable> call() {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread.ofVirtual().start(() -> thrown.complete(attempt()));
    return thrown;
  }

  private Throwable attempt() {
    return catchThrowable(() ->
        models.call("call", CALL, ModelChoice.DEFAULT, CONTEXT, token, tokens -> {}, part -> {}));
  }

  /** A gateway that does not answer. */
  private final class Silent implements InferenceGateway {
    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      asked.countDown();
      return reply;
    }

    @Override
    public void close() {}
  }
}
