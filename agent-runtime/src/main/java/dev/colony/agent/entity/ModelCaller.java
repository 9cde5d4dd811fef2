package dev.colony.agent.entity;

import dev.colony.agent.ModelFailure;
import dev.colony.agent.Services;
import dev.colony.agent.lifecycle.AgentCommand;
import dev.colony.agent.lifecycle.Work;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Carries out an agent's model calls: fetches the pages and asks the gateway. */
final class ModelCaller {

  private final Services services;
  private final Duration deadline;
  private final Backoff backoff;
  private final int maxReplyBytes;

  ModelCaller(Services services, Duration deadline, Backoff backoff, int maxReplyBytes) {
    this.services = services;
    this.deadline = deadline;
    this.backoff = backoff;
    this.maxReplyBytes = maxReplyBytes;
  }

  /**
   * Starts a call; the result comes as the command to give to the agent, on any thread, possibly
   * before this returns.
   */
  void start(Work.CallModel work, Running running, Consumer<AgentCommand> whenDone) {
    boolean paged = !work.call().pages().isEmpty();
    CompletionStage<InferenceReply> reply =
        paged ? askWithPages(work, running) : ask(work, List.of(), running);
    reply.whenComplete((answer, failure) -> whenDone.accept(outcome(answer, paged, failure)));
  }

  private CompletionStage<InferenceReply> askWithPages(Work.CallModel work, Running running) {
    return backoff
        .repeat(
            "reading pages",
            running::cancelled,
            () -> services.get(PageStore.class).pages(work.call().pages()))
        .thenCompose(pages -> ask(work, pages, running));
  }

  private CompletionStage<InferenceReply> ask(
      Work.CallModel work, List<VirtualContextPage> pages, Running running) {
    List<PromptPage> prompt =
        pages.stream()
            .map(page -> new PromptPage(page.id().value(), page.text(), page.sizeTokens()))
            .toList();
    CompletionStage<InferenceReply> reply =
        services
            .get(InferenceGateway.class)
            .complete(
                new InferenceRequest(
                    work.callId(),
                    work.call().preamble(),
                    prompt,
                    work.call().suffix(),
                    work.call().schema(),
                    work.call().maxTokens(),
                    deadline));
    running.onCancel(() -> reply.toCompletableFuture().cancel(true));
    return reply;
  }

  private AgentCommand outcome(InferenceReply answer, boolean paged, Throwable failure) {
    Instant now = Instant.now();
    if (failure != null) {
      return new AgentCommand.RecordModelFailure(describe(Backoff.cause(failure)), now);
    }
    if (answer.text().getBytes(StandardCharsets.UTF_8).length > maxReplyBytes) {
      String size = "the model's reply is larger than " + maxReplyBytes + " bytes";
      return new AgentCommand.RecordModelFailure(new ModelFailure(size, false), now);
    }
    return new AgentCommand.RecordReply(answer, paged, now);
  }

  private static ModelFailure describe(Throwable failure) {
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    return new ModelFailure(
        message, failure instanceof InferenceException call && call.retryable());
  }
}
