package dev.colony.inference.gateway;

import dev.colony.inference.EmbeddingReply;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts.RetryClock;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.CacheControl;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The gateway to model servers over HTTP, and to the models that libraries ask. Each call runs as
 * plain blocking code on a virtual thread of its own; cancelling its future interrupts that thread,
 * which aborts the exchange, and the server sees its connection close.
 *
 * <p>Thread-safe. Calls begin in the order of admission, {@link
 * dev.colony.inference.gateway.AdmissionQueue}; replies come in any order. A call may reach a
 * server more than once: retries carry the same {@code X-Request-Id} and {@code Idempotency-Key}.
 */
public final class HttpInferenceGateway implements InferenceGateway {

  private final GatewayParts parts;
  private final CallRouter.Reports reports;
  private final ReplicaCaches caches;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(
          Thread.ofVirtual().name("inference-gateway-", 0).factory());

  /**
   * @param catalog what calls may ask for
   * @param ownNode the node that this gateway runs on
   * @param replicas asked again before every attempt, so the set may change at any time
   * @param others tells what other gateways wait for
   * @param observer hears of every answered call
   */
  public HttpInferenceGateway(
      GatewaySettings settings,
      ModelCatalog catalog,
      RoutingSettings routing,
      String ownNode,
      ReplicaSet replicas,
      ResidencyView residency,
      CallObserver observer,
      BacklogExchange others) {
    this(
        settings,
        catalog,
        routing,
        ownNode,
        replicas,
        residency,
        observer,
        others,
        Optional.empty(),
        RetryClock.SYSTEM);
  }

  /**
   * One that holds its calls to budgets.
   *
   * @param spending is closed with the gateway
   */
  public HttpInferenceGateway(
      GatewaySettings settings,
      ModelCatalog catalog,
      RoutingSettings routing,
      String ownNode,
      ReplicaSet replicas,
      ResidencyView residency,
      CallObserver observer,
      BacklogExchange others,
      Spending spending) {
    this(
        settings,
        catalog,
        routing,
        ownNode,
        replicas,
        residency,
        observer,
        others,
        Optional.of(spending),
        RetryClock.SYSTEM);
  }

  /**
   * With a clock of one's own.
   *
   * @throws IllegalArgumentException if a library that is to ask a model is not there, or does not
   *     take its settings
   */
  HttpInferenceGateway(
      GatewaySettings settings,
      ModelCatalog catalog,
      RoutingSettings routing,
      String ownNode,
      ReplicaSet replicas,
      ResidencyView residency,
      CallObserver observer,
      BacklogExchange others,
      Optional<Spending> spending,
      RetryClock clock) {
    ModelClients models = new ModelClients(catalog, replicas, ownNode, threads);
    CallRouter router = new CallRouter(routing, residency, ownNode, replicas, clock::nanos);
    ReplicaSlots slots =
        new ReplicaSlots(settings.limits().maxConcurrentPerReplica(), clock::nanos);
    WaitingRoom room =
        new WaitingRoom(
            settings.admission(),
            replica -> slots.of(replica.id(), models.client(replica).slots()),
            models::replicas,
            clock,
            observer);
    this.parts =
        new GatewayParts(
            settings, ownNode, models, router, residency, observer, clock, room, slots, spending);
    this.reports = router.exchange(others, observer);
    this.caches = new ReplicaCaches(parts, threads);
  }

  @Override
  public CompletableFuture<InferenceReply> complete(InferenceRequest request) {
    return complete(request, part -> {});
  }

  @Override
  public CompletableFuture<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> heard) {
    return call(
        request,
        () -> {
          InferenceRequest salted = salt().on(request);
          return new RoutedCall(parts, caches, salted, heard, parts.models().chain(salted)).run();
        });
  }

  @Override
  public CompletableFuture<EmbeddingReply> embed(InferenceRequest request) {
    return call(request, () -> new EmbeddingCall(parts, caches, request).embedded());
  }

  /** Runs a call on a thread of its own, which is interrupted where its future is cancelled. */
  private <T> CompletableFuture<T> call(InferenceRequest request, Callable<T> work) {
    CompletableFuture<T> reply = new CompletableFuture<>();
    try {
      Future<?> running = threads.submit(() -> run(request, work, reply));
      // Only then: a call that completes must not interrupt the callbacks that it runs.
      reply.whenComplete((r, failure) -> {
        if (reply.isCancelled()) {
          running.cancel(true);
        }
      });
    } catch (RejectedExecutionException e) {
      reply.completeExceptionally(
          new InferenceException(Kind.SERVER_ERROR, "the gateway is closed", e));
    }
    return reply;
  }

  /** Aborts all calls. */
  @Override
  public void close() {
    reports.close();
    caches.close();
    parts.room().close();
    threads.shutdownNow();
    parts.models().close();
    parts.spending().ifPresent(Spending::close);
  }

  private static <T> void run(
      InferenceRequest request, Callable<T> work, CompletableFuture<T> reply) {
    try {
      reply.complete(work.call());
    } catch (InterruptedException e) {
      reply.completeExceptionally(
          new InferenceException(Kind.TIMEOUT, "call " + request.callId() + " was aborted", e));
    } catch (Exception | Error e) {
      reply.completeExceptionally(e);
    }
  }

  @Override
  public List<OfferedModel> models() {
    return parts.models().offered();
  }

  @Override
  public CompletableFuture<List<OfferedModel>> servedModels() {
    List<OfferedModel> all = models();
    return all.stream().allMatch(one -> !one.name().isEmpty() || !one.served().isEmpty())
        ? CompletableFuture.completedFuture(all)
        : CompletableFuture.supplyAsync(
            () -> {
              parts.models().learn();
              return models();
            },
            threads);
  }

  @Override
  public Optional<PromptCaches> promptCaches() {
    return Optional.of(new RoutedPromptCaches(parts.router(), parts.models(), salt()));
  }

  /** Calls that wait for a slot or back off. */
  public int waiting() {
    return parts.room().waiting();
  }

  /** Those of them that are of a tenant. */
  public int waiting(String tenant) {
    return parts.room().waiting(tenant);
  }

  /** Those of them that back off after a failure. */
  public int delayed() {
    return parts.room().delayed();
  }

  /** How each replica stands, of those known at this moment. Answers from memory. */
  public List<ReplicaStatus> replicaStatus() {
    return parts.router().status();
  }

  /**
   * Carries out what a scheduler orders of the replicas' caches, by the prompts that this gateway
   * has sent since it was asked to {@linkplain #keepPrompts keep} them, or was first asked anything
   * here: an order of prompts from before is left out.
   */
  public CacheControl cacheControl() {
    return caches.control();
  }

  /**
   * Keeps the prompts of the calls from here on, as many as {@link SentPrompts} holds, and with
   * them the pages that are locked in caches that are told by touches.
   */
  public void keepPrompts() {
    caches.begin();
  }

  /**
   * Has the caches that take hints evict what is not locked before what is. To be called when locks
   * have changed; what is answered later is seen to by itself. Does not block.
   */
  public void spareLocked() {
    caches.spareLocked();
  }

  Collection<Replica> replicas() {
    return parts.models().replicas();
  }

  ReplicaCaches caches() {
    return caches;
  }

  /** Takes what replicas say of their load and their caches. */
  public ReplicaMonitor.Listener replicaListener() {
    return new ReplicaMonitor.Listener() {
      @Override
      public void load(String replica, EngineLoad load) {
        parts.slots().load(replica, load);
        parts.router().load(replica, load);
      }

      @Override
      public void events(String replica, List<KvEvent> events) {
        parts.router().events(replica, events);
      }
    };
  }

  private TenantSalt salt() {
    return new TenantSalt(parts.settings().limits().tenantSaltKey());
  }

  CallRouter router() {
    return parts.router();
  }

  /**
   * How a replica stands at one moment, as one gateway sees it; for an operator.
   *
   * @param id its name; of a model with a name {@code model@host:port}
   * @param state why it is called or is not: {@code serving}, {@code starting}, {@code draining},
   *     {@code unhealthy}, {@code circuit open} or {@code circuit half open}
   * @param load what it has said of its load within the last minute; empty where it says nothing
   * @param events whether it tells what its cache holds; else that is estimated
   * @param calls of this gateway that have not ended
   * @param backlogSeconds prefill work before a prompt that comes now, of all gateways
   * @param prefillSeconds what a prompt of 1000 tokens takes there, as its calls show
   */
  public record ReplicaStatus(
      String id,
      String state,
      Optional<EngineLoad> load,
      boolean events,
      int calls,
      double backlogSeconds,
      double prefillSeconds) {}

  /** The caches of a gateway's replicas, as its router knows them. */
  record RoutedPromptCaches(CallRouter router, ModelClients models, TenantSalt salt)
      implements PromptCaches {

    @Override
    public List<Cache> caches() {
      return router.caches();
    }

    @Override
    public double blockTokens() {
      return RoutingSettings.BLOCK_TOKENS;
    }

    @Override
    public Ask ask(InferenceRequest request) {
      return router.blocks(salt.on(request)).ask(request, excluded(request.model()));
    }

    @Override
    public Set<String> excluded(ModelChoice choice) {
      List<String> asked = models.asked(choice);
      String serving =
          asked.stream().filter(models::available).findFirst().orElse(asked.getFirst());
      return models.replicas().stream()
          .filter(one -> !one.model().equals(serving))
          .map(Replica::id)
          .collect(Collectors.toSet());
    }
  }

  /** What the calls of a gateway share. */
  record GatewayParts(
      GatewaySettings settings,
      String ownNode,
      ModelClients models,
      CallRouter router,
      ResidencyView residency,
      CallObserver observer,
      RetryClock clock,
      WaitingRoom room,
      ReplicaSlots slots,
      Optional<Spending> spending) {

    /** The time that retries go by, and the chance that keeps them apart. */
    interface RetryClock {

      /** That of the machine. */
      RetryClock SYSTEM =
          new RetryClock() {
            @Override
            public long nanos() {
              return System.nanoTime();
            }

            @Override
            public double random() {
              return ThreadLocalRandom.current().nextDouble();
            }

            @Override
            public void sleep(Duration time, Future<?> over) throws InterruptedException {
              try {
                over.get(time.toNanos(), TimeUnit.NANOSECONDS);
              } catch (TimeoutException passed) {
                // As it is to be.
              } catch (ExecutionException never) {
                throw new IllegalStateException(never);
              }
            }
          };

      /** As {@link System#nanoTime}. */
      long nanos();

      /** From 0 to 1. */
      double random();

      /** Blocks for a time, or until the other is done. */
      void sleep(Duration time, Future<?> over) throws InterruptedException;
    }
  }
}
