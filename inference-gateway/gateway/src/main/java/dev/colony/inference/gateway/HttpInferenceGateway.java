package dev.colony.inference.gateway;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.catalog.ModelCatalog;
import dev.colony.inference.catalog.ModelEntry;
import dev.colony.inference.provider.ModelClient;
import dev.colony.inference.provider.ModelServer;
import dev.colony.inference.provider.ProvidedModel;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.provider.ServedModel;
import dev.colony.inference.replicas.EvictionSettings;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.routing.BacklogExchange;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.ResidencyView;
import dev.colony.inference.routing.RoutingSettings;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.workingset.CacheControl;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The gateway to model servers over HTTP, and to the models that libraries ask. Each call runs as
 * plain blocking code on a virtual thread of its own; cancelling its future interrupts that thread,
 * which aborts the exchange, and the server sees its connection close.
 *
 * <p>Thread-safe. Calls begin in the order of admission, {@link
 * dev.colony.inference.admission.AdmissionQueue}; replies come in any order. A call may reach a
 * server more than once: retries carry the same {@code X-Request-Id} and {@code Idempotency-Key}.
 */
public final class HttpInferenceGateway implements InferenceGateway {

  /** Servers that are asked what they serve before anything is asked of them, and how long. */
  private static final int MOST_ASKED = 2;

  private static final Duration ASKED_FOR = Duration.ofSeconds(2);

  private final GatewaySettings settings;
  private final ModelCatalog catalog;
  private final String ownNode;
  private final ReplicaSet replicas;
  private final CallRouter router;
  private final CallRouter.Reports reports;
  private final ResidencyView residency;
  private final CallObserver observer;
  private final RetryClock clock;
  private final WaitingRoom room;
  private final Optional<Spending> spending;
  private final ReplicaCaches caches;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(
          Thread.ofVirtual().name("inference-gateway-", 0).factory());
  private final Map<Duration, HttpClient> https = new ConcurrentHashMap<>();
  private final Map<String, ProvidedModel> libraries;
  private final Map<Server, ModelServer> clients = new ConcurrentHashMap<>();

  /** Where a model is served. */
  private record Server(String model, URI uri) {

    static Server of(Replica replica) {
      return new Server(replica.model(), replica.baseUri());
    }
  }

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
    // First, as it may fail: nothing else has been started.
    this.libraries = opened(catalog);
    this.spending = spending;
    this.clock = clock;
    this.settings = settings;
    this.catalog = catalog;
    this.ownNode = ownNode;
    this.replicas = replicas;
    this.residency = residency;
    this.observer = observer;
    this.router = new CallRouter(routing, residency, ownNode, replicas, clock::nanos);
    this.reports = router.exchange(others, observer);
    this.caches = new ReplicaCaches(this, settings, routing.blockCharacters());
    this.room =
        new WaitingRoom(
            settings.admission(),
            settings.maxConcurrentPerReplica(),
            this::replicas,
            clock,
            observer);
  }

  @Override
  public CompletableFuture<InferenceReply> complete(InferenceRequest request) {
    return complete(request, part -> {});
  }

  @Override
  public CompletableFuture<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    CompletableFuture<InferenceReply> reply = new CompletableFuture<>();
    try {
      Future<?> running = threads.submit(() -> run(request, parts, reply));
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
    room.close();
    threads.shutdownNow();
    https.values().forEach(HttpClient::shutdownNow);
    libraries.values().forEach(ProvidedModel::close);
    spending.ifPresent(Spending::close);
  }

  private void run(
      InferenceRequest request,
      Consumer<InferenceDelta> parts,
      CompletableFuture<InferenceReply> reply) {
    try {
      reply.complete(new RoutedCall(this, request, parts).run());
    } catch (InterruptedException e) {
      reply.completeExceptionally(
          new InferenceException(Kind.TIMEOUT, "call " + request.callId() + " was aborted", e));
    } catch (RuntimeException | Error e) {
      reply.completeExceptionally(e);
    }
  }

  @Override
  public List<OfferedModel> models() {
    return catalog.names().stream().map(this::offered).toList();
  }

  @Override
  public CompletableFuture<List<OfferedModel>> servedModels() {
    List<OfferedModel> all = models();
    return all.stream().allMatch(one -> !one.name().isEmpty() || !one.served().isEmpty())
        ? CompletableFuture.completedFuture(all)
        : CompletableFuture.supplyAsync(
            () -> {
              learn();
              return models();
            },
            threads);
  }

  private void learn() {
    for (Replica one :
        replicas().stream()
            .filter(any -> any.model().isEmpty())
            .sorted(Comparator.comparing(Replica::baseUri))
            .limit(MOST_ASKED)
            .toList()) {
      if (client(one).known(ASKED_FOR)) {
        return;
      }
    }
  }

  private OfferedModel offered(String name) {
    Optional<ModelServer> asked =
        clients.entrySet().stream()
            .filter(one -> one.getKey().model().equals(name))
            .filter(one -> one.getValue().served().isPresent())
            .min(Comparator.comparing(one -> one.getKey().uri()))
            .map(Map.Entry::getValue);
    return new OfferedModel(
        name,
        asked
            .flatMap(ModelServer::served)
            .map(ServedModel::id)
            .or(catalog.client(name)::model)
            .orElse(""),
        asked.map(ModelServer::contextTokens).orElse(catalog.client(name).contextTokens()),
        name.equals(catalog.usual()),
        catalog.entry(name).map(ModelEntry::tags).orElse(Set.of()),
        catalog.entry(name).map(ModelEntry::fallbacks).orElse(List.of()));
  }

  @Override
  public Optional<PromptCaches> promptCaches() {
    return Optional.of(new Caches());
  }

  /** As the router knows them. */
  private final class Caches implements PromptCaches {

    @Override
    public List<Cache> caches() {
      return router.caches();
    }

    @Override
    public double blockTokens() {
      return router.blockTokens();
    }

    @Override
    public Ask ask(InferenceRequest request) {
      return router.blocks(request).ask(request, excluded(request.model()));
    }

    @Override
    public Set<String> excluded(ModelChoice choice) {
      List<String> asked = catalog.asked(choice);
      String serving =
          asked.stream()
              .filter(HttpInferenceGateway.this::available)
              .findFirst()
              .orElse(asked.getFirst());
      return replicas().stream()
          .filter(one -> !one.model().equals(serving))
          .map(Replica::id)
          .collect(Collectors.toSet());
    }
  }

  /** The models that may answer a request. */
  ModelChain chain(InferenceRequest request) {
    return new ModelChain(catalog.asked(request.model()));
  }

  /** Whether calls may be sent to any replica of a model. */
  boolean available(String model) {
    return replicas().stream()
        .filter(one -> one.model().equals(model))
        .anyMatch(one -> replicas.access(one.id(), false, 0).available());
  }

  GatewaySettings settings() {
    return settings;
  }

  String ownNode() {
    return ownNode;
  }

  /** The replicas of this moment; clients of departed ones are let go. */
  Collection<Replica> replicas() {
    Collection<Replica> now = replicas.replicas();
    if (clients.size() > now.size()) {
      clients.keySet().removeIf(one -> now.stream().map(Server::of).noneMatch(one::equals));
    }
    return now;
  }

  /** Calls that wait for a slot or back off. */
  public int waiting() {
    return room.waiting();
  }

  /** Those of them that are of a tenant. */
  public int waiting(String tenant) {
    return room.waiting(tenant);
  }

  /** Those of them that back off after a failure. */
  public int delayed() {
    return room.delayed();
  }

  /** How each replica stands, of those known at this moment. Answers from memory. */
  public List<ReplicaStatus> replicaStatus() {
    return router.status();
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
   * Keeps the prompts of the calls from here on, see {@code sent-prompts}, and with them the pages
   * that are locked in caches that are told by touches.
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

  /** What each replica's cache was told, of those that were told anything. Answers from memory. */
  public Map<String, CacheOrders> cacheOrders() {
    return caches.told();
  }

  ReplicaCaches caches() {
    return caches;
  }

  Optional<EvictionSettings> eviction(String replica) {
    return replicas.eviction(replica);
  }

  boolean mayCall(String replica) {
    return replicas.access(replica, false, 0).available();
  }

  ExecutorService threads() {
    return threads;
  }

  /** Takes what replicas say of their load and their caches. */
  public ReplicaMonitor.Listener replicaListener() {
    return router;
  }

  CallRouter router() {
    return router;
  }

  ResidencyView residency() {
    return residency;
  }

  Optional<Spending> spending() {
    return spending;
  }

  RetryClock clock() {
    return clock;
  }

  CallObserver observer() {
    return observer;
  }

  ModelClient client(Replica replica) {
    ProvidedModel provided = libraries.get(replica.model());
    if (provided != null) {
      return provided;
    }
    ProviderSettings settings = catalog.client(replica.model());
    HttpClient http =
        https.computeIfAbsent(
            settings.connectTimeout(), none -> ModelServer.httpClient(settings, threads));
    return clients.computeIfAbsent(
        Server.of(replica), at -> ModelServer.ofNode(ownNode, at.uri(), settings, http));
  }

  private static Map<String, ProvidedModel> opened(ModelCatalog catalog) {
    Map<String, ProvidedModel> opened = new TreeMap<>();
    try {
      for (ModelEntry model : catalog.models().values()) {
        if (model.library().isPresent()) {
          URI place = model.replicas().servers().getFirst();
          opened.put(
              model.name(), new ProvidedModel(place, model.client(), model.library().get().open()));
        }
      }
      return opened;
    } catch (RuntimeException failure) {
      opened.values().forEach(ProvidedModel::close);
      throw failure;
    }
  }

  WaitingRoom room() {
    return room;
  }
}
