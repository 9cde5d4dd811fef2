package dev.colony.replica;

import static dev.colony.replica.EmbeddedReplicaSettings.BLOCK_TOKENS;

import dev.colony.replica.BlockPool.BlockHashes;
import dev.colony.replica.KvEventPublisher.KvEvent;
import dev.colony.replica.KvEventPublisher.KvEvent.AllBlocksCleared;
import dev.colony.replica.KvEventPublisher.KvEvent.BlockRemoved;
import dev.colony.replica.KvEventPublisher.KvEvent.BlockStored;
import dev.colony.replica.ResidentPages.PageResidency.ResidentPage;
import dev.colony.replica.Scheduler.Share;
import dev.colony.replica.Scheduler.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs calls through the scheduler, step after step on a thread of its own, each step for the time
 * that the model says. What a call is going to say is known when it comes; when it may say how much
 * of it is decided here. Thread-safe.
 */
final class Engine implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

  private static final long MOST_BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A page of a prompt, and how many full blocks there are up to its end. */
  record PlacedPage(ResidentPage page, int blocks) {}

  /** A call in the engine; closing it gives it up if it is not over. */
  final class Call implements AutoCloseable {
    private final Sequence sequence;
    private final String reason;
    private final List<PlacedPage> pages;
    private final Condition progress = lock.newCondition();
    private final EngineMetrics.Timing timing;
    private int wanted;

    private Call(Sequence sequence, String reason, List<PlacedPage> pages) {
      this.sequence = sequence;
      this.reason = reason;
      this.pages = pages;
      this.timing = metrics.arrived();
    }

    /** Waits until the reply has so many tokens. */
    void await(int tokens) throws InterruptedException {
      lock.lockInterruptibly();
      try {
        wanted = tokens;
        while (sequence.generated() < tokens) {
          if (closed) {
            throw new InterruptedException("the replica stops");
          }
          progress.await();
        }
      } finally {
        lock.unlock();
      }
    }

    /** Prompt tokens that were found in the cache. */
    int cachedTokens() {
      lock.lock();
      try {
        return sequence.hitTokens();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (calls.remove(sequence) != null) {
          scheduler.abort(sequence);
          metrics.aborted();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private final TimeModel time;
  private final ResidentPages residency;
  private final EngineMetrics metrics;
  private final Optional<KvEventPublisher> publisher;
  private final List<KvEvent> events = new ArrayList<>();
  private final BlockPool pool;
  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Map<Sequence, Call> calls = new IdentityHashMap<>();
  private final List<Long> evicted = new ArrayList<>();
  private final Thread thread;
  private boolean closed;

  /** When the steps so far were to end; the engine's thread alone uses it. */
  private long stepsEnd = System.nanoTime();

  /**
   * @param publisher of the events of the cache, where they are wanted
   */
  Engine(
      EmbeddedReplicaSettings settings,
      EmbeddedReplica.Bounds bounds,
      ResidentPages residency,
      EngineMetrics metrics,
      Optional<KvEventPublisher> publisher) {
    this.publisher = publisher;
    this.time = bounds.time().times(settings.time().factor());
    this.residency = residency;
    this.metrics = metrics;
    this.pool = new BlockPool(settings.capacityBlocks(), new CacheListener());
    this.scheduler =
        new Scheduler(
            pool,
            new Scheduler.Limits(
                BLOCK_TOKENS,
                settings.maxRunning(),
                Math.max(settings.maxRunning(), bounds.maxBatchedTokens())));
    this.thread = Thread.ofPlatform().daemon().name("embedded-replica-engine").start(this::run);
  }

  /**
   * Adds a call behind the waiting ones.
   *
   * @param pages of the prompt; they count as resident once the prompt is computed
   */
  Call submit(int[] prompt, Generation reply, String salt, List<PlacedPage> pages) {
    Sequence sequence = new Sequence(prompt, reply.tokens(), BLOCK_TOKENS, salt);
    String reason = reply.finish().equals("length") ? "length" : "stop";
    Call call = new Call(sequence, reason, pages);
    lock.lock();
    try {
      calls.put(sequence, call);
      scheduler.add(sequence);
      work.signal();
    } finally {
      lock.unlock();
    }
    return call;
  }

  /** The gauges and counters of this moment. */
  EngineMetrics.State state() {
    lock.lock();
    try {
      return new EngineMetrics.State(
          scheduler.running(),
          scheduler.waiting(),
          1 - (double) pool.free() / pool.capacity(),
          scheduler.queriedTokens(),
          scheduler.hitTokens());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Has the blocks of a prompt from a number on evicted next, the last first; those that calls use
   * stay.
   *
   * @return how many blocks the cache had of them
   */
  int evictNext(int[] prompt, String salt, int fromBlock) {
    long[] chain = BlockHashes.chain(prompt, BLOCK_TOKENS, salt);
    lock.lock();
    try {
      return fromBlock >= chain.length
          ? 0
          : pool.evictNext(Arrays.copyOfRange(chain, fromBlock, chain.length));
    } finally {
      lock.unlock();
    }
  }

  /** Empties the cache; false, with nothing changed, while any call runs. */
  boolean resetPrefixCache() {
    lock.lock();
    try {
      boolean cleared = pool.clear();
      publish();
      return cleared;
    } finally {
      lock.unlock();
    }
  }

  /** Stops the engine; calls in it are given up. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      work.signal();
      calls.values().forEach(call -> call.progress.signalAll());
    } finally {
      lock.unlock();
    }
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        Step step = next();
        if (step == null) {
          return;
        }
        take(time.nanos(step));
        complete(step);
      }
    } catch (InterruptedException e) {
      LOG.debug("the engine stops");
    } catch (RuntimeException e) {
      LOG.error("the engine of the embedded replica failed; it serves no more calls", e);
      close();
    }
  }

  /** Sleeps oversleep: what a step took too long is taken off the next ones, within a bound. */
  private void take(long nanos) throws InterruptedException {
    if (nanos > 0) {
      long now = System.nanoTime();
      stepsEnd = Math.max(stepsEnd, now - MOST_BEHIND_NANOS) + nanos;
      if (stepsEnd > now) {
        TimeUnit.NANOSECONDS.sleep(stepsEnd - now);
      }
    }
  }

  /** The next step, as soon as there are calls; null when the engine is closed. */
  private Step next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && scheduler.running() + scheduler.waiting() == 0) {
        work.await();
        stepsEnd = System.nanoTime();
      }
      if (closed) {
        return null;
      }
      Step step = scheduler.schedule();
      step.shares().forEach(share -> calls.get(share.sequence()).timing.scheduled());
      metrics.step(step);
      forgetEvicted();
      return step;
    } finally {
      lock.unlock();
    }
  }

  private void complete(Step step) {
    lock.lock();
    try {
      for (Sequence sequence : scheduler.complete(step)) {
        Call call = calls.get(sequence);
        call.timing.token();
        if (sequence.generated() == 1) {
          notePages(call);
        }
        if (sequence.over()) {
          calls.remove(sequence);
          call.timing.finished(sequence.promptTokens(), sequence.generated(), call.reason);
        }
        if (sequence.generated() >= call.wanted) {
          call.progress.signalAll();
        }
      }
      publish();
    } finally {
      lock.unlock();
    }
  }

  private void notePages(Call call) {
    for (PlacedPage placed : call.pages) {
      long end = placed.blocks() == 0 ? 0 : call.sequence.chain()[placed.blocks() - 1];
      if (placed.blocks() > 0 && pool.contains(end)) {
        residency.loaded(placed.page(), end);
      }
    }
  }

  /** As one batch for each step. */
  private void publish() {
    if (!events.isEmpty()) {
      double seconds = System.currentTimeMillis() / 1000.0;
      publisher.ifPresent(to -> to.publish(seconds, events));
      events.clear();
    }
  }

  private void forgetEvicted() {
    if (!evicted.isEmpty()) {
      residency.evicted(evicted);
      evicted.clear();
    }
  }

  private final class CacheListener implements BlockPool.Listener {
    @Override
    public void stored(Sequence sequence, int first, int blocks) {
      if (publisher.isPresent()) {
        long[] chain = sequence.chain();
        events.add(
            new BlockStored(
                Arrays.copyOfRange(chain, first, first + blocks),
                first == 0 ? OptionalLong.empty() : OptionalLong.of(chain[first - 1]),
                sequence.tokensOf(first, blocks),
                BLOCK_TOKENS,
                sequence.salt()));
      }
    }

    @Override
    public void removed(long hash, boolean last) {
      if (publisher.isPresent()) {
        events.add(new BlockRemoved(hash));
      }
      if (last) {
        evicted.add(hash);
      }
    }

    @Override
    public void cleared() {
      if (publisher.isPresent()) {
        events.add(new AllBlocksCleared());
      }
      residency.clear();
    }
  }

  /**
   * How long a step takes on the accelerator that is modelled: as long as its prompt tokens take to
   * compute, each of which costs more the more tokens stand before it, or as long as the model's
   * weights take to be read, whichever is longer; and in addition what each call that decodes
   * takes, and the tokens that these calls attend to.
   *
   * @param factor of all times; 0 takes no time, 1 is the time of the model
   * @param attentionTokens before a token that many others double its cost
   * @param decodeStep what a step takes at least
   */
  public record TimeModel(
      double factor,
      int prefillTokensPerSecond,
      int attentionTokens,
      Duration decodeStep,
      Duration decodePerCall,
      Duration decodePerThousandTokens) {

    /**
     * Llama 3.3 70B in FP8 on two H100 with tensor parallelism, a fit to what NVIDIA publishes of
     * it for NIM 1.0 with 5000 tokens of prompt and 500 of reply: 406.77 ms to the first token and
     * 18.58 ms between two of one call alone, 38.75 ms with 25 of them, 917 to 921 tokens a second
     * with 100 and more.
     */
    public static final TimeModel LLAMA_70B_2XH100 =
        new TimeModel(
            1,
            12_900,
            53_000,
            Duration.ofNanos(18_600_000),
            Duration.ZERO,
            Duration.ofNanos(24_000));

    /** The same with all times multiplied. */
    public TimeModel times(double more) {
      return new TimeModel(
          factor * more,
          prefillTokensPerSecond,
          attentionTokens,
          decodeStep,
          decodePerCall,
          decodePerThousandTokens);
    }

    /** In nanoseconds; 0 where time is off, and for a step without shares. */
    public long nanos(Step step) {
      if (factor == 0 || step.shares().isEmpty()) {
        return 0;
      }
      double prefill = 0;
      int decoding = 0;
      long context = 0;
      for (Share share : step.shares()) {
        if (share.decoding()) {
          decoding++;
          context += share.before();
        } else {
          double attention = (share.before() + share.tokens() / 2.0) / attentionTokens;
          prefill += share.tokens() * (1 + attention) * 1e9 / prefillTokensPerSecond;
        }
      }
      double nanos =
          Math.max(prefill, decodeStep.toNanos())
              + (double) decoding * decodePerCall.toNanos()
              + context / 1000.0 * decodePerThousandTokens.toNanos();
      return Math.round(nanos * factor);
    }
  }
}
