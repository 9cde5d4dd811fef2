package dev.colony.inference;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/** Carries model calls to replicas. Thread-safe; no method blocks. */
public interface InferenceGateway extends AutoCloseable {

  /**
   * Sends one call, and passes the parts of its reply on as they come, but for {@link
   * InferenceDelta.Done}.
   *
   * @param parts is called on the thread of the call, which it must not hold up
   * @return as {@link #complete(InferenceRequest)}
   */
  CompletionStage<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts);

  /**
   * Sends one call, with retries and failover within its deadline. Fails with {@link
   * InferenceException}. Cancelling the stage's future aborts the call.
   *
   * <p>A reply satisfies the call's {@link ReplyForm}, and callers need not check it again: where a
   * model's reply does not, the model is asked once more and shown what is wrong; one that was cut
   * at its bound is asked for once more with more room. After that the call fails as {@link
   * InferenceException.Kind#BAD_REPLY}.
   */
  default CompletionStage<InferenceReply> complete(InferenceRequest request) {
    return complete(request, part -> {});
  }

  /**
   * The same call with its reply in parts as they come, {@link InferenceDelta.Done} last. Each
   * subscription is a call of its own; cancelling it aborts the call. A subscriber that asks for
   * less than there is has the parts of a kind joined meanwhile, and delays no server.
   */
  default Flow.Publisher<InferenceDelta> stream(InferenceRequest request) {
    return subscriber -> {
      CompletableFuture<CompletableFuture<InferenceReply>> call = new CompletableFuture<>();
      ReplyStream stream =
          new ReplyStream(subscriber, () -> call.thenAccept(running -> running.cancel(true)));
      subscriber.onSubscribe(stream);
      CompletableFuture<InferenceReply> running =
          complete(request, stream::add).toCompletableFuture();
      call.complete(running);
      running.whenComplete((reply, failure) -> {
        if (failure == null) {
          stream.add(new InferenceDelta.Done(reply));
          stream.complete();
        } else {
          stream.fail(failure);
        }
      });
    };
  }

  /**
   * Has texts embedded, as OpenAI's {@code POST embeddings} does. Admitted, routed, repeated and
   * held to budgets as {@link #complete(InferenceRequest)}, but never answered by a model that
   * stands in for another: its numbers would mean something else.
   *
   * @param request its extra fields are the body but for the model; its prompt is what is counted
   */
  default CompletionStage<EmbeddingReply> embed(InferenceRequest request) {
    return CompletableFuture.failedStage(
        new InferenceException(
            InferenceException.Kind.REFUSED, "this gateway embeds no texts", null));
  }

  /** What prompts take of the replicas' caches; empty where the gateway knows nothing of them. */
  default Optional<PromptCaches> promptCaches() {
    return Optional.empty();
  }

  /** The models that calls may ask for, the default first. Answers from memory. */
  default List<OfferedModel> models() {
    return List.of();
  }

  /**
   * The same, after a server of the model without a name was asked what it serves, where that is
   * not known: so its name is the same before the first call and after it.
   */
  default CompletionStage<List<OfferedModel>> servedModels() {
    return CompletableFuture.completedStage(models());
  }

  @Override
  void close();
}
