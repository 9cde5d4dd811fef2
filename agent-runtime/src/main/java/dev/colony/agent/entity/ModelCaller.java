package dev.colony.agent.entity;

import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.Services;
import dev.colony.agent.lifecycle.JsonSize;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Carries out agents' model calls: fetches the pages and asks the gateway. Thread-safe. */
final class ModelCaller {

  private final Services services;
  private final Duration deadline;
  private final Backoff backoff;
  private final int maxPromptBytes;
  private final int maxReplyBytes;

  ModelCaller(
      Services services,
      Duration deadline,
      Backoff backoff,
      int maxPromptBytes,
      int maxReplyBytes) {
    this.services = services;
    this.deadline = deadline;
    this.backoff = backoff;
    this.maxPromptBytes = maxPromptBytes;
    this.maxReplyBytes = maxReplyBytes;
  }

  /**
   * Blocks until the model has answered.
   *
   * @param callId its idempotency key
   * @throws AgentException if it does not, or if the prompt is larger than may be
   * @throws CancellationException if the work is cancelled or the caller interrupted
   */
  InferenceReply call(String callId, ModelCall call, Running running) {
    running.check();
    bounded(call);
    try {
      List<VirtualContextPage> pages =
          call.pages().isEmpty() ? List.of() : running.await(pages(call.pages(), running));
      // It is the gateway's own future that is cancelled, so that the server hears of it.
      return bounded(running.await(ask(callId, call, pages)));
    } catch (ExecutionException failed) {
      throw described(Backoff.cause(failed));
    }
  }

  private CompletableFuture<List<VirtualContextPage>> pages(List<PageId> ids, Running running) {
    return backoff
        .repeat("reading pages", running::cancelled, () -> services.get(PageStore.class).pages(ids))
        .toCompletableFuture();
  }

  private CompletableFuture<InferenceReply> ask(
      String callId, ModelCall call, List<VirtualContextPage> pages) {
    List<PromptPage> prompt =
        pages.stream()
            .map(page -> new PromptPage(page.id().value(), page.text(), page.sizeTokens()))
            .toList();
    return services
        .get(InferenceGateway.class)
        .complete(
            new InferenceRequest(
                callId,
                call.preamble(),
                prompt,
                call.suffix(),
                call.schema(),
                call.maxTokens(),
                deadline))
        .toCompletableFuture();
  }

  /** Pages have bounds of their own. */
  private void bounded(ModelCall call) {
    long left = (long) maxPromptBytes - call.preamble().length() - call.suffix().length();
    if (left < 0
        || call.schema().filter(schema -> JsonSize.exceeds(schema, (int) left)).isPresent()) {
      throw AgentException.refused("the prompt is larger than " + maxPromptBytes + " bytes");
    }
  }

  private InferenceReply bounded(InferenceReply reply) {
    if (reply.text().getBytes(StandardCharsets.UTF_8).length > maxReplyBytes) {
      throw AgentException.refused("the model's reply is larger than " + maxReplyBytes + " bytes");
    }
    return reply;
  }

  private static RuntimeException described(Throwable failure) {
    return switch (failure) {
      case AgentException refused -> refused;
      case CancellationException cancelled -> cancelled;
      default ->
          new AgentException(
              failure.getMessage() == null ? failure.toString() : failure.getMessage(),
              failure,
              failure instanceof InferenceException call && call.retryable());
    };
  }
}
