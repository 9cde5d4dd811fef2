package dev.colony.node.activation;

import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.Inference;
import dev.colony.agent.author.JoinPoints;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.core.capacity.Resource;
import dev.colony.core.capacity.ResourceExhausted;
import dev.colony.core.lifecycle.JsonSize;
import dev.colony.core.retry.Backoff;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.node.NodePorts;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Carries out the model calls of a node's agents: fetches the pages and asks the gateway. So many
 * are under way at once on a node; further ones wait for their turn, in their order and within
 * their deadline. Thread-safe.
 */
public final class ModelCaller {

  /** Of English and of code, by the tokenizers of current models. */
  private static final int CHARS_PER_TOKEN = 4;

  private final NodePorts services;
  private final Duration deadline;
  private final Semaphore calls;
  private final InFlightModelCalls underWay = new InFlightModelCalls();
  private final Backoff backoff;
  private final int maxPromptBytes;
  private final int maxReplyBytes;

  public ModelCaller(
      NodePorts services,
      Duration deadline,
      int mostCalls,
      Backoff backoff,
      int maxPromptBytes,
      int maxReplyBytes) {
    this.services = services;
    this.deadline = deadline;
    this.calls = new Semaphore(mostCalls, true);
    this.backoff = backoff;
    this.maxPromptBytes = maxPromptBytes;
    this.maxReplyBytes = maxReplyBytes;
  }

  /** The model calls of one agent. */
  Inference of(ActiveAgent agent) {
    return new OfAgent(agent, this);
  }

  /** Calls that wait for their turn; an estimate while others come and go. */
  public int waiting() {
    return calls.getQueueLength();
  }

  /** Those of the agents, for as long as they and what is journaled of them takes. */
  InFlightModelCalls underWay() {
    return underWay;
  }

  /**
   * Has no more calls begin; completes with how many were cut off: 0 when all under way have ended,
   * else those that had not after a time.
   */
  public CompletionStage<Integer> finish(Duration longest) {
    return underWay.close(longest);
  }

  /**
   * Blocks until the model has answered.
   *
   * @param callId its idempotency key
   * @param begins told just before the gateway is asked how many tokens the prompt has, estimated
   * @throws AgentException if it does not, or if the prompt is larger than may be
   * @throws CancellationException if the work is cancelled or the caller interrupted
   */
  InferenceReply call(String callId, ModelCall call, CancellationToken token, LongConsumer begins) {
    token.check();
    bounded(call);
    try {
      List<VirtualContextPage> pages =
          call.pages().isEmpty() ? List.of() : token.await(pages(call.pages(), token));
      return bounded(inTurn(callId, call, pages, token, begins));
    } catch (ExecutionException failed) {
      throw described(Backoff.cause(failed));
    }
  }

  private InferenceReply inTurn(
      String callId,
      ModelCall call,
      List<VirtualContextPage> pages,
      CancellationToken token,
      LongConsumer begins)
      throws ExecutionException {
    Stopwatch watch = Stopwatch.start();
    await(token);
    try {
      Duration left = deadline.minus(watch.elapsed());
      if (!left.isPositive()) {
        throw late();
      }
      begins.accept(tokens(call, pages));
      // It is the gateway's own future that is cancelled, so that the server hears of it.
      return token.await(ask(callId, call, pages, left));
    } finally {
      calls.release();
    }
  }

  /** Of the prompt, estimated; a page knows its own. */
  private static long tokens(ModelCall call, List<VirtualContextPage> pages) {
    long own = (call.preamble().length() + (long) call.suffix().length()) / CHARS_PER_TOKEN;
    return own + pages.stream().mapToLong(VirtualContextPage::sizeTokens).sum();
  }

  private void await(CancellationToken token) {
    Runnable forget = token.onCancel(Thread.currentThread()::interrupt);
    try {
      token.check();
      if (!calls.tryAcquire(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
        throw late();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    } finally {
      forget.run();
    }
  }

  private AgentException late() {
    ResourceExhausted why = new ResourceExhausted(Resource.MODEL_CALLS, 1, 0);
    return new AgentException(
        "a model call could not begin within %s: it %s".formatted(deadline, why.reason()),
        null,
        true);
  }

  private CompletableFuture<List<VirtualContextPage>> pages(
      List<PageId> ids, CancellationToken token) {
    return backoff
        .repeat("reading pages", token::cancelled, () -> services.get(PageStore.class).pages(ids))
        .toCompletableFuture();
  }

  private CompletableFuture<InferenceReply> ask(
      String callId, ModelCall call, List<VirtualContextPage> pages, Duration left) {
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
                left))
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

  /**
   * An agent's model calls: journaled by their names while the policy plans, part of the action
   * while one is executed, and neither within a background process.
   */
  private record OfAgent(ActiveAgent agent, ModelCaller models) implements Inference {

    @Override
    public InferenceReply infer(String name, ModelCall call) {
      try {
        return agent
            .hooks()
            .call(
                JoinPoints.INFER,
                agent,
                this,
                () -> models.underWay().make(agent.token(), () -> ask(name, call)),
                name,
                call);
      } catch (RuntimeException failure) {
        throw failure;
      } catch (Exception failure) {
        throw new AgentException("the model call " + name + " failed: " + failure, failure, false);
      }
    }

    private InferenceReply ask(String name, ModelCall call) {
      agent.token().check();
      Optional<CurrentStep> step = agent.currentStep();
      if (step.isEmpty()) {
        String callId = agent.id().persistenceId() + "/background/" + UUID.randomUUID();
        return models.call(callId, call, agent.token(), promptTokens -> {});
      }
      return step.get().acting()
          ? within(step.get(), name, call)
          : planning(step.get(), name, call);
    }

    private InferenceReply within(CurrentStep step, String name, ModelCall call) {
      InferenceReply reply = asked(step, step.name() + "/action/" + name, call, promptTokens -> {});
      step.use(reply.usage());
      return reply;
    }

    private InferenceReply planning(CurrentStep step, String name, ModelCall call) {
      Optional<InferenceReply> before = step.journal().answered(name);
      if (before.isPresent()) {
        return before.get();
      }
      InferenceReply reply =
          asked(
              step,
              step.name() + "/" + name,
              call,
              promptTokens -> {
                if (step.meter().bounded()) {
                  step.journal().asking(name, promptTokens);
                }
              });
      step.journal().answered(name, reply, !call.pages().isEmpty());
      return reply;
    }

    private InferenceReply asked(
        CurrentStep step, String callId, ModelCall call, LongConsumer begins) {
      step.meter().check();
      InferenceReply reply = models.call(callId, call, step.token(), begins);
      step.meter().add(reply.usage());
      return reply;
    }
  }
}
