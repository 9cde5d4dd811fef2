package dev.colony.node.admission;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.Usage;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.PrefillSpeed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Replicas with caches of prompts, which several nodes of one process share: a call goes to the
 * replica that it names, or to the next one in turn. Blocks that were used longest ago go first.
 * Thread-safe.
 */
final class CachedModel implements InferenceGateway {

  static final int BLOCK_CHARACTERS = 64;
  private static final PrefillSpeed SPEED = new PrefillSpeed(5_000, 50_000);

  private final int blocks;
  private final Map<String, LinkedHashMap<Long, Boolean>> caches = new TreeMap<>();
  private final Map<String, String> running = new HashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int next;
  private int calls;
  private int warm;
  private int leased;

  /** Held up while it is above 0. */
  volatile CountDownLatch gate = new CountDownLatch(0);

  /**
   * @param blocks that each cache holds
   */
  CachedModel(int blocks, String... replicas) {
    this.blocks = blocks;
    for (String replica : replicas) {
      caches.put(replica, new LinkedHashMap<>(16, 0.75f, true));
    }
  }

  @Override
  public CompletionStage<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    String replica = begins(request);
    return CompletableFuture.supplyAsync(() -> {
      try {
        gate.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      parts.accept(new InferenceDelta.Text("x"));
      ends(request);
      return InferenceReply.text(
          request.callId(), "x".repeat(BLOCK_CHARACTERS), new Usage(1, 0, 1), replica, false);
    });
  }

  private synchronized String begins(InferenceRequest request) {
    List<String> names = List.copyOf(caches.keySet());
    Optional<String> home = request.context().replica().filter(caches::containsKey);
    String replica = home.orElseGet(() -> names.get(next++ % names.size()));
    leased += home.isPresent() ? 1 : 0;
    calls++;
    long[] chain = ask(request).blocks();
    LinkedHashMap<Long, Boolean> cache = caches.get(replica);
    int held = 0;
    while (held < chain.length && cache.containsKey(chain[held])) {
      held++;
    }
    warm += held >= chain.length - 2 ? 1 : 0;
    for (long block : chain) {
      cache.put(block, true);
    }
    while (cache.size() > blocks) {
      cache.remove(cache.keySet().iterator().next());
    }
    String agent = request.context().agent().orElse("");
    String other = running.put(agent, replica);
    if (other != null && home.isPresent() && !other.equals(replica)) {
      wrong.add(agent + " calls " + replica + " while it calls " + other);
    }
    return replica;
  }

  private synchronized void ends(InferenceRequest request) {
    running.remove(request.context().agent().orElse(""));
  }

  /** The replica is gone. */
  synchronized void kill(String replica) {
    caches.remove(replica);
  }

  @Override
  public Optional<PromptCaches> promptCaches() {
    return Optional.of(new Caches());
  }

  private synchronized List<PromptCaches.Cache> known() {
    return caches.keySet().stream()
        .map(name -> new PromptCaches.Cache(name, "", blocks, "", SPEED))
        .toList();
  }

  private static Ask ask(InferenceRequest request) {
    return PromptBlocks.of(request, BLOCK_CHARACTERS).ask(request, Set.of());
  }

  private final class Caches implements PromptCaches {

    @Override
    public List<Cache> caches() {
      return known();
    }

    @Override
    public double blockTokens() {
      return BLOCK_CHARACTERS / 4.0;
    }

    @Override
    public Ask ask(InferenceRequest request) {
      return CachedModel.ask(request);
    }

    @Override
    public Set<String> excluded(ModelChoice choice) {
      return Set.of();
    }
  }

  synchronized int calls() {
    return calls;
  }

  /** The part of the calls whose prompts were cached but for their last blocks. */
  synchronized double warm() {
    return calls == 0 ? 0 : (double) warm / calls;
  }

  /** The part of the calls that named their replica. */
  synchronized double leased() {
    return calls == 0 ? 0 : (double) leased / calls;
  }

  synchronized List<String> wrong() {
    return List.copyOf(wrong);
  }

  @Override
  public void close() {}
}
