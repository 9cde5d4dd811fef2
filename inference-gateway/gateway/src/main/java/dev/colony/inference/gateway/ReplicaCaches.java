package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.CallObserver.CacheOutcome;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts;
import dev.colony.inference.gateway.SentPrompts.Beginning;
import dev.colony.inference.provider.ModelClient;
import dev.colony.inference.provider.ModelServer;
import dev.colony.inference.provider.ServedModel;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.inference.replicas.PromptBlocks.PromptPrefix;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.CacheControl;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.Orders.Eviction;
import dev.colony.vcm.schedule.Orders.Touch;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries orders out at the caches of replicas, by the prompts that this gateway has sent there.
 *
 * <p>A touch asks for one token over a prompt's beginning. In a cache that evicts what was released
 * longest ago, as those of vLLM and SGLang, its blocks then go last. Only what the replica is taken
 * to hold is touched: the rest would be computed. A hint says to {@code POST /colony/evict} behind
 * which part of a prompt everything is wanted least; of the engines only the embedded replica takes
 * it. vLLM's and TensorRT-LLM's servers take priorities for the order of calls and none for blocks,
 * SGLang's a priority of blocks that cannot be lowered.
 *
 * <p>Each replica has a queue of its own, worked off by one thread while there is anything in it,
 * with no more than {@code touchesPerSecond}. Touches take no slot of the waiting room and are
 * booked on no budget: they are the gateway's own, and bounded by their rate. Prompts are kept from
 * when {@link #begin} is called.
 *
 * <p>Beside what a scheduler orders, pages that are locked are kept: a cache that takes hints is
 * told to evict others first; in one that takes touches, the newest prompt over each locked page
 * that the cache holds is touched where nothing has used it for {@code lockTouchInterval}, until
 * the lock ends. Thread-safe.
 */
final class ReplicaCaches implements CacheControl {

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaCaches.class);

  /** Prompts that are kept of the latest calls: servers know blocks only by their text. */
  private static final int SENT_PROMPTS = 1024;

  private static final long SENT_PROMPT_CHARACTERS = 64 << 20;

  /** How often it is looked whether a locked page has gone unused, in milliseconds. */
  private static final long LOOK = 250;

  /** What is to be done over the beginning of a prompt. */
  private sealed interface Order {

    /** Has the beginning used. */
    record Use(Beginning beginning, long[] blocks) implements Order {}

    /** Has all behind the beginning evicted first. */
    record GiveUp(Beginning kept) implements Order {}
  }

  private static final class Lane {
    private final ArrayDeque<Order> waiting = new ArrayDeque<>();
    private boolean works;

    /** When the next touch may begin, on the gateway's clock; 0 before the first. */
    private long nextTouch;

    private long number;
  }

  private final GatewayParts gateway;
  private final ExecutorService threads;
  private final SentPrompts prompts = new SentPrompts(SENT_PROMPTS, SENT_PROMPT_CHARACTERS);
  private final Map<String, Lane> lanes = new LinkedHashMap<>();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("locked-pages").factory());
  private boolean begun;

  /**
   * @param threads of the gateway: what is under way ends with them
   */
  ReplicaCaches(GatewayParts gateway, ExecutorService threads) {
    this.gateway = gateway;
    this.threads = threads;
  }

  /** Keeps prompts, and with them locked pages, from here on. */
  synchronized void begin() {
    if (!begun && !closed.isDone()) {
      begun = true;
      timer.scheduleWithFixedDelay(this::look, LOOK, LOOK, TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    try {
      touchLocked();
    } catch (RuntimeException failure) {
      LOG.warn("locked pages are not touched now", failure);
    }
  }

  /** Touches what is locked and has gone unused for long, where caches are told by touches. */
  synchronized void touchLocked() {
    long now = gateway.clock().nanos();
    for (Replica replica : gateway.models().replicas()) {
      String id = replica.id();
      if (control(id) == EvictionControl.TOUCHES) {
        long unused = bounds().lockTouchInterval().toNanos();
        prompts
            .unused(
                id,
                page -> gateway.residency().locked(page),
                blocks -> gateway.router().held(id, blocks) == blocks.length,
                unused,
                now)
            .forEach(beginning -> use(id, beginning));
      }
    }
  }

  private void use(String replica, Beginning beginning) {
    long[] chain = gateway.router().blocks(beginning.request()).chain();
    enqueue(replica, new Order.Use(beginning, Arrays.copyOf(chain, beginning.blocks())));
  }

  /** A replica has answered a call. */
  synchronized void answered(Replica replica, InferenceRequest request, PromptBlocks blocks) {
    if (begun && control(replica.id()) != EvictionControl.NONE) {
      prompts.answered(replica.id(), request, blocks, gateway.clock().nanos());
      spare(replica.id());
    }
  }

  /**
   * Has each cache that takes hints evict what is not locked before what is, where something is:
   * what the table names as {@linkplain ResidencyView#victims victims} is wanted least.
   */
  synchronized void spareLocked() {
    if (begun) {
      gateway.models().replicas().forEach(replica -> spare(replica.id()));
    }
  }

  private void spare(String replica) {
    if (control(replica) == EvictionControl.HINTS) {
      Set<String> victims = gateway.residency().victims(replica);
      if (!victims.isEmpty()) {
        // What is hinted last is evicted first.
        prompts
            .givenUp(replica, victims, RoutingSettings.BLOCK_CHARACTERS)
            .forEach(kept -> enqueue(replica, new Order.GiveUp(kept)));
      }
    }
  }

  /** Carries nothing out any more; what is under way is aborted with the gateway's threads. */
  void close() {
    closed.complete(null);
    timer.shutdownNow();
  }

  /** For a scheduler: what it asks first has prompts kept. */
  CacheControl control() {
    return new CacheControl() {
      @Override
      public EvictionControl control(String replica) {
        begin();
        return ReplicaCaches.this.control(replica);
      }

      @Override
      public void carryOut(List<Eviction> evictions, List<Touch> touches) {
        begin();
        ReplicaCaches.this.carryOut(evictions, touches);
      }
    };
  }

  @Override
  public EvictionControl control(String replica) {
    return replica(replica)
        .flatMap(one ->
            gateway
                .models()
                .eviction(replica)
                .map(control ->
                    switch (control) {
                      case HINTS -> EvictionControl.HINTS;
                      case TOUCHES -> EvictionControl.TOUCHES;
                      case NONE -> EvictionControl.NONE;
                      case AUTO -> auto(gateway.models().client(one));
                    }))
        .orElse(EvictionControl.NONE);
  }

  /** By what the server says of itself, which is known from the first call on. */
  private static EvictionControl auto(ModelClient client) {
    if (client.served().map(ServedModel::takesEvictionHints).orElse(false)) {
      return EvictionControl.HINTS;
    }
    return client.dialect().name().equals("vllm") ? EvictionControl.TOUCHES : EvictionControl.NONE;
  }

  private Optional<Replica> replica(String id) {
    return gateway.models().replicas().stream().filter(one -> one.id().equals(id)).findFirst();
  }

  @Override
  public synchronized void carryOut(List<Eviction> evictions, List<Touch> touches) {
    for (Eviction eviction : evictions) {
      if (control(eviction.replica()) == EvictionControl.HINTS) {
        int found = 0;
        // Blocks of several prompts may be given up at once.
        for (Optional<Beginning> kept = givenUp(eviction);
            kept.isPresent();
            kept = givenUp(eviction)) {
          enqueue(eviction.replica(), new Order.GiveUp(kept.get()));
          found++;
        }
        if (found == 0) {
          leftOut(EvictionControl.HINTS, CacheOutcome.UNKNOWN);
        }
      }
    }
    for (Touch touch : touches) {
      if (control(touch.replica()) == EvictionControl.TOUCHES) {
        prompts
            .beginning(touch.replica(), touch.blocks())
            .ifPresentOrElse(
                beginning ->
                    enqueue(touch.replica(), new Order.Use(beginning, touch.blocks().clone())),
                () -> leftOut(EvictionControl.TOUCHES, CacheOutcome.UNKNOWN));
      }
    }
  }

  private Optional<Beginning> givenUp(Eviction eviction) {
    return prompts.givenUp(
        eviction.replica(), eviction.blocks(), page -> gateway.residency().locked(page));
  }

  private Lane lane(String replica) {
    return lanes.computeIfAbsent(replica, id -> new Lane());
  }

  private void enqueue(String replica, Order order) {
    Lane lane = lane(replica);
    if (lane.waiting.size() >= bounds().waitingOrders()) {
      leftOut(kind(order), CacheOutcome.QUEUE_FULL);
      return;
    }
    lane.waiting.add(order);
    if (!lane.works) {
      try {
        threads.submit(() -> work(replica, lane));
        lane.works = true;
      } catch (RejectedExecutionException gatewayClosed) {
        lane.waiting.clear();
      }
    }
  }

  private void work(String replica, Lane lane) {
    try {
      for (Optional<Order> next = next(lane); next.isPresent(); next = next(lane)) {
        switch (next.get()) {
          case Order.Use use -> touch(replica, lane, use);
          case Order.GiveUp giveUp -> hint(replica, lane, giveUp);
        }
      }
    } catch (InterruptedException gatewayCloses) {
      LOG.debug("orders for the cache of {} are left out: the gateway closes", replica);
    }
  }

  private synchronized Optional<Order> next(Lane lane) {
    Optional<Order> next =
        closed.isDone() ? Optional.empty() : Optional.ofNullable(lane.waiting.poll());
    lane.works = next.isPresent();
    return next;
  }

  private void touch(String replica, Lane lane, Order.Use use) throws InterruptedException {
    paced(lane);
    Optional<Replica> one = available(replica);
    if (one.isEmpty()) {
      leftOut(EvictionControl.TOUCHES, CacheOutcome.UNAVAILABLE);
      return;
    }
    int held = gateway.router().held(replica, use.blocks());
    if (held == 0) {
      leftOut(EvictionControl.TOUCHES, CacheOutcome.ABSENT);
      return;
    }
    InferenceRequest beginning =
        PromptPrefix.of(use.beginning().request(), RoutingSettings.BLOCK_CHARACTERS, held)
            .request();
    try {
      ModelClient.Touched touched =
          gateway.models().client(one.get()).touch(beginning, key(lane, beginning), timeout());
      touched(one.get(), Arrays.copyOf(use.blocks(), held), touched);
    } catch (InferenceException failure) {
      LOG.debug("a touch of {} failed: {}", replica, failure.getMessage());
      leftOut(EvictionControl.TOUCHES, CacheOutcome.FAILED);
    }
  }

  private void paced(Lane lane) throws InterruptedException {
    double rate = bounds().touchesPerSecond();
    long now = gateway.clock().nanos();
    long at = lane.nextTouch == 0 ? now : Math.max(now, lane.nextTouch);
    lane.nextTouch = at + (long) (1e9 / rate);
    if (at > now) {
      gateway.clock().sleep(Duration.ofNanos(at - now), closed);
    }
  }

  private void touched(Replica replica, long[] blocks, ModelClient.Touched touched) {
    Usage usage = touched.usage();
    OptionalLong cached = touched.cachedTokens();
    long computed = usage.promptTokens() - cached.orElse(0);
    gateway.router().touched(replica.id(), blocks);
    gateway
        .observer()
        .cacheTold(EvictionControl.TOUCHES, CacheOutcome.DONE, usage.promptTokens(), computed);
  }

  private void hint(String replica, Lane lane, Order.GiveUp giveUp) throws InterruptedException {
    Optional<Replica> one = available(replica);
    if (one.isEmpty()) {
      leftOut(EvictionControl.HINTS, CacheOutcome.UNAVAILABLE);
      return;
    }
    try {
      if (!(gateway.models().client(one.get()) instanceof ModelServer server)) {
        throw new InferenceException(
            Kind.REFUSED, replica + " is no server, and takes no hints", null);
      }
      InferenceRequest request = giveUp.kept().request();
      PromptPrefix kept =
          PromptPrefix.of(request, RoutingSettings.BLOCK_CHARACTERS, giveUp.kept().blocks());
      server.evictNext(request, kept, key(lane, request), timeout());
      gateway.observer().gaveUp(one.get(), behind(giveUp.kept()));
      gateway.observer().cacheTold(EvictionControl.HINTS, CacheOutcome.DONE, 0, 0);
    } catch (InferenceException failure) {
      LOG.debug("a hint to {} failed: {}", replica, failure.getMessage());
      leftOut(EvictionControl.HINTS, CacheOutcome.FAILED);
    }
  }

  /** The pages of a prompt that do not end within its beginning. */
  private Set<String> behind(Beginning kept) {
    int[] ends = gateway.router().blocks(kept.request()).pageEnds();
    Set<String> pages = new LinkedHashSet<>();
    for (int at = 0; at < ends.length; at++) {
      if (ends[at] > kept.blocks()) {
        pages.add(kept.request().prompt().pages().get(at).id());
      }
    }
    return pages;
  }

  private Optional<Replica> available(String replica) {
    return replica(replica)
        .filter(one -> gateway.models().mayCall(one.id()) && !gateway.room().full(one));
  }

  private synchronized String key(Lane lane, InferenceRequest request) {
    return request.callId() + "-cache-" + ++lane.number;
  }

  private GatewaySettings.Bounds bounds() {
    return gateway.settings().bounds();
  }

  private Duration timeout() {
    return gateway.settings().limits().attemptTimeout();
  }

  private static EvictionControl kind(Order order) {
    return switch (order) {
      case Order.Use use -> EvictionControl.TOUCHES;
      case Order.GiveUp giveUp -> EvictionControl.HINTS;
    };
  }

  private void leftOut(EvictionControl kind, CacheOutcome why) {
    gateway.observer().cacheTold(kind, why, 0, 0);
  }

  /** Orders that wait for a replica. */
  synchronized int waiting(String replica) {
    return lane(replica).waiting.size();
  }
}
