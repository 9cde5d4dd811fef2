package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelServer;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.Replica;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimates which pages one server's cache holds, from the calls that this observes, and tells a
 * listener: all of them by their ids, with their tokens, at once and again after every change. A
 * server that cannot be reached for a while is taken to hold nothing: what comes back may be
 * another one.
 *
 * <p>The listener is called from one thread at a time; if it throws, that is logged.
 */
public final class EstimatedResidency implements CallObserver, AutoCloseable {

  /**
   * What no operator sets.
   *
   * @param capacityTokens what the cache of a server is taken to hold
   * @param recheck how often it is asked whether it is still there
   * @param retryDelay after it has not answered
   * @param lostAfter a server that has not answered for so long is taken to hold nothing
   */
  record Bounds(long capacityTokens, Duration recheck, Duration retryDelay, Duration lostAfter) {

    static final Bounds USUAL =
        new Bounds(400_000, Duration.ofSeconds(10), Duration.ofMillis(500), Duration.ofSeconds(3));
  }

  /** How long the server may take to answer whether it is there. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(EstimatedResidency.class);

  private final Replica replica;
  private final Bounds bounds;
  private final Consumer<Map<String, Integer>> listener;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(
          Thread.ofVirtual().name("estimated-residency-", 0).factory());
  private final HttpClient http = ModelServer.httpClient(threads);
  private final ModelServer server;
  private final ResidencyEstimate estimate;
  private final AtomicInteger calls = new AtomicInteger();

  /** Begins to observe a server, whether it is up yet or not. */
  public EstimatedResidency(
      Replica replica, ProviderSettings settings, Consumer<Map<String, Integer>> listener) {
    this(replica, Bounds.USUAL, settings, listener);
  }

  EstimatedResidency(
      Replica replica,
      Bounds bounds,
      ProviderSettings settings,
      Consumer<Map<String, Integer>> listener) {
    this.replica = replica;
    this.bounds = bounds;
    this.listener = listener;
    this.server = new ModelServer(replica.baseUri(), settings, http);
    this.estimate = new ResidencyEstimate(bounds.capacityTokens());
    tell();
    threads.submit(this::watch);
  }

  /** Calls to other replicas are passed over. */
  @Override
  public synchronized void answered(
      Replica at, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {
    if (at.id().equals(replica.id())
        && estimate.answered(request.prompt().pages(), usage, cachedTokens)) {
      tell();
    }
  }

  @Override
  public void sent(Replica at, InferenceRequest request) {
    if (at.id().equals(replica.id())) {
      calls.incrementAndGet();
    }
  }

  @Override
  public void ended(Replica at, InferenceRequest request) {
    if (at.id().equals(replica.id())) {
      calls.decrementAndGet();
    }
  }

  /** The listener hears nothing more. */
  @Override
  public void close() {
    threads.shutdownNow();
    http.shutdownNow();
  }

  private void watch() {
    long answeredAt = System.nanoTime();
    boolean lost = false;
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          // llama-cpp-python's server breaks off a stream where anything else is asked of it.
          if (calls.get() == 0) {
            server.checkAlive(PATIENCE);
          }
          answeredAt = System.nanoTime();
          lost = false;
          TimeUnit.NANOSECONDS.sleep(bounds.recheck().toNanos());
        } catch (InferenceException failure) {
          LOG.debug("replica {}: {}", replica.id(), failure.getMessage());
          boolean longAgo = System.nanoTime() - answeredAt >= bounds.lostAfter().toNanos();
          if (longAgo && !lost) {
            lost = true;
            LOG.warn("replica {} is lost: {}", replica.id(), failure.getMessage());
            lose();
          }
          TimeUnit.NANOSECONDS.sleep(bounds.retryDelay().toNanos());
        }
      }
    } catch (InterruptedException closed) {
      LOG.debug("replica {} is observed no more", replica.id());
    }
  }

  private synchronized void lose() {
    if (estimate.clear()) {
      tell();
    }
  }

  private synchronized void tell() {
    try {
      listener.accept(estimate.pages());
    } catch (RuntimeException failure) {
      LOG.error("the listener of replica {} failed", replica.id(), failure);
    }
  }

  /**
   * Guesses what a server's prefix cache holds from the calls it answered: the pages of the latest
   * calls, up to a capacity. Where the server says how many tokens it found cached, a page that was
   * taken to be resident and was not shows that the cache is smaller or busier than thought: that
   * page and all used less recently are dropped. Not thread-safe.
   */
  public static final class ResidencyEstimate {

    private final long capacityTokens;
    private final LinkedHashMap<String, PromptPage> pages = new LinkedHashMap<>(64, 0.75f, true);
    private long held;

    public ResidencyEstimate(long capacityTokens) {
      this.capacityTokens = capacityTokens;
    }

    /**
     * Takes an answered call into account.
     *
     * @param cachedTokens empty where the server says nothing of its cache
     * @return whether the set of resident pages changed
     */
    public boolean answered(List<PromptPage> prompt, Usage usage, OptionalLong cachedTokens) {
      List<String> before = List.copyOf(pages.keySet());
      double own = prompt.stream().mapToLong(PromptPage::sizeTokens).sum();
      // The server counts with its own tokenizer; sizes are brought to its scale.
      double scale = own == 0 ? 1 : Math.min(2, Math.max(0.5, usage.promptTokens() / own));
      double start = 0;
      List<PromptPage> loaded = new ArrayList<>();
      for (PromptPage page : prompt) {
        double middle = (start + page.sizeTokens() / 2.0) * scale;
        boolean missed = cachedTokens.isPresent() && cachedTokens.getAsLong() < middle;
        if (missed && pages.containsKey(page.id())) {
          dropUpTo(page.id());
        } else {
          loaded.add(page);
        }
        start += page.sizeTokens();
      }
      loaded.forEach(this::load);
      return !Set.copyOf(before).equals(pages.keySet());
    }

    /** Forgets everything: the server began a new life. Returns whether that changed anything. */
    public boolean clear() {
      boolean changed = !pages.isEmpty();
      pages.clear();
      held = 0;
      return changed;
    }

    /** The pages taken to be resident, by their ids, with their tokens. */
    public Map<String, Integer> pages() {
      Map<String, Integer> tokens = new LinkedHashMap<>();
      pages.sequencedValues().forEach(page -> tokens.put(page.id(), page.sizeTokens()));
      return tokens;
    }

    private void load(PromptPage page) {
      if (pages.put(page.id(), page) == null) {
        held += page.sizeTokens();
      }
      while (held > capacityTokens) {
        held -= pages.pollFirstEntry().getValue().sizeTokens();
      }
    }

    private void dropUpTo(String id) {
      boolean found = false;
      while (!found) {
        PromptPage oldest = pages.pollFirstEntry().getValue();
        held -= oldest.sizeTokens();
        found = oldest.id().equals(id);
      }
    }
  }
}
