package dev.colony.node.admission;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.core.dispatch.Backoff;
import dev.colony.inference.CallContext;
import dev.colony.inference.EmbeddingReply;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptCaches;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A gateway that carries no call of what is suspended as a whole. Where a suspension comes, the
 * calls under way are cut off. A call of an agent waits then, and is made from its beginning when
 * its scope is resumed: who waits for it may give it up meanwhile, as an agent's step does. Any
 * other call is refused. Thread-safe; no call blocks.
 */
public final class SuspendableModels implements InferenceGateway {

  private final InferenceGateway gateway;
  private final ScopeWatch watch;
  private final Set<AdmittedCall<?>> calls = ConcurrentHashMap.newKeySet();

  public SuspendableModels(InferenceGateway gateway, ScopeWatch watch) {
    this.gateway = gateway;
    this.watch = watch;
    watch.follow(this, () -> calls.forEach(AdmittedCall::look));
  }

  /** A call that is under way, or waits. */
  private final class AdmittedCall<T> {

    private final String tenant;
    private final Optional<AgentId> agent;
    private final Supplier<CompletionStage<T>> begin;
    private final CompletableFuture<T> reply = new CompletableFuture<>();
    private Optional<CompletableFuture<T>> underWay = Optional.empty();

    AdmittedCall(CallContext context, Supplier<CompletionStage<T>> begin) {
      this.tenant = context.tenant();
      this.agent = context.agent().map(AgentId::parse);
      this.begin = begin;
    }

    CompletableFuture<T> start() {
      calls.add(this);
      reply.whenComplete((answer, failure) -> {
        calls.remove(this);
        cutOff();
      });
      look();
      return reply;
    }

    /** Has it begin, go on, wait or end, as its scope stands. */
    void look() {
      boolean begun = begun();
      if (!watch.knows(tenant, agent) || !begun && !watch.good()) {
        watch
            .learn(agent, reply::isDone)
            .whenComplete((known, failure) -> {
              if (failure == null) {
                look();
              } else {
                reply.completeExceptionally(Backoff.cause(failure));
              }
            });
        return;
      }
      if (!begun && barred().isEmpty()) {
        ask();
      }
      // What has come meanwhile has told those that were under way by then.
      barred().ifPresent(this::bar);
    }

    private Optional<ScopeSuspension> barred() {
      return watch.suspension(tenant, agent);
    }

    private synchronized boolean begun() {
      return underWay.isPresent();
    }

    private void ask() {
      CompletableFuture<T> asked;
      synchronized (this) {
        if (underWay.isPresent() || reply.isDone()) {
          return;
        }
        try {
          asked = begin.get().toCompletableFuture();
        } catch (RuntimeException refused) {
          asked = CompletableFuture.failedFuture(refused);
        }
        underWay = Optional.of(asked);
      }
      CompletableFuture<T> own = asked;
      own.whenComplete((answer, failure) -> {
        if (!wanted(own)) {
          return;
        }
        if (failure == null) {
          reply.complete(answer);
        } else {
          reply.completeExceptionally(Backoff.cause(failure));
        }
      });
    }

    /** Whether it was not cut off. */
    private synchronized boolean wanted(CompletableFuture<T> asked) {
      return underWay.filter(one -> one == asked).isPresent();
    }

    private void bar(ScopeSuspension why) {
      cutOff();
      if (agent.isEmpty()) {
        reply.completeExceptionally(
            new InferenceException(InferenceException.Kind.SUSPENDED, why.words(), null));
      }
    }

    private void cutOff() {
      Optional<CompletableFuture<T>> asked;
      synchronized (this) {
        asked = underWay;
        underWay = Optional.empty();
      }
      asked.ifPresent(one -> one.cancel(true));
    }
  }

  @Override
  public CompletableFuture<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    return new AdmittedCall<>(request.context(), () -> gateway.complete(request, parts)).start();
  }

  @Override
  public CompletableFuture<EmbeddingReply> embed(InferenceRequest request) {
    return new AdmittedCall<>(request.context(), () -> gateway.embed(request)).start();
  }

  @Override
  public Optional<PromptCaches> promptCaches() {
    return gateway.promptCaches();
  }

  @Override
  public List<OfferedModel> models() {
    return gateway.models();
  }

  @Override
  public CompletionStage<List<OfferedModel>> servedModels() {
    return gateway.servedModels();
  }

  @Override
  public void close() {
    watch.forget(this);
    gateway.close();
  }
}
