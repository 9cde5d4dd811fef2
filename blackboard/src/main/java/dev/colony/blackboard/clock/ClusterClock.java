package dev.colony.blackboard.clock;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time by which everything durable, and everything that several nodes decide upon, goes.
 *
 * <p><b>The problem.</b> A run's deadline, a condition's instant, a time to live are written by one
 * node and compared by another. With wall clocks, nodes that are ten minutes apart end healthy runs
 * after a hand-over, and a clock that is stepped ends all of them. The store's clock is one for
 * all, but can be stepped as well, and with it those of a replica that is promoted.
 *
 * <p><b>The normal way.</b> Each process goes by its monotonic clock ({@link System#nanoTime}),
 * which no one can set, from what it agreed upon last. Every {@link #SYNC_INTERVAL} it tells the
 * {@link TimeStore} what time it has and takes over what the store answers if that is later. So all
 * processes follow the one that is ahead, at a distance of one way of a message at most; a process
 * whose first answer took long, as it does while classes load, asks again before it begins. A store
 * that has gone back learns the time again from the processes. Wall clocks count in one place:
 * where nothing is stored, the store's begins the time.
 *
 * <p><b>Correction.</b> What lies between cluster time and the store's clock is made good by going
 * up to 5 % faster or slower, never by a step: a store's clock that is stepped by an hour has
 * cluster time go 5 % faster for a day, and no wait is cut short by more than that.
 *
 * <p><b>The failure way.</b> While the store is away each process goes by its own monotonic clock;
 * these drift apart by some ten milliseconds in an hour, and agree again when it is back. After all
 * processes have ended, the first to come has nothing but the store's clock to say how long that
 * was: it is believed if it has not gone backwards, and a step of it in that time moves cluster
 * time, as does one in the second before a process starts.
 *
 * <p>Within a process it never goes backwards. Reading it costs no I/O. Thread-safe.
 */
public final class ClusterClock implements InstantSource, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterClock.class);

  /**
   * By how much the times of two processes differ at most while the store answers both. What one
   * has done before the other was told of it may bear a time that is later by so much.
   */
  public static final Duration MOST_APART = Duration.ofMillis(200);

  /** How often a process agrees with the others on the time. */
  public static final Duration SYNC_INTERVAL = Duration.ofSeconds(1);

  /** How often a process that begins asks for an answer that is not late; then it takes one. */
  private static final int FIRST_ANSWERS = 5;

  /** For how many intervals an answer's correction is good. */
  private static final int CORRECTED_FOR = 3;

  private final TimeStore store;
  private final Duration interval;
  private final LongSupplier nanoTime;
  private final InstantSource wall;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("cluster-clock").factory());
  private final AtomicBoolean asking = new AtomicBoolean();
  private final AtomicLong latest = new AtomicLong();
  private final List<Consumer<ClockSkew>> listeners = new CopyOnWriteArrayList<>();
  private volatile ClusterTime time;
  private volatile ClockSkew skew = ClockSkew.NONE;

  private ClusterClock(
      TimeStore store,
      Duration interval,
      LongSupplier nanoTime,
      InstantSource wall,
      ClusterTime first) {
    this.store = store;
    this.interval = interval;
    this.nanoTime = nanoTime;
    this.wall = wall;
    this.time = first;
  }

  /**
   * Asks the store for the time, waits for the answer, and agrees with it from then on until
   * closed, on a thread of its own.
   *
   * @throws RuntimeException as the store fails, if it does not answer
   */
  public static ClusterClock start(TimeStore store, Duration interval) {
    ClusterClock clock = agreed(store, interval, System::nanoTime, InstantSource.system());
    long nanos = interval.toNanos();
    clock.timer.scheduleWithFixedDelay(clock::sync, nanos, nanos, TimeUnit.NANOSECONDS);
    return clock;
  }

  /** The time of one process alone: its wall clock when this is called, then its monotonic one. */
  public static InstantSource local() {
    Instant begun = Instant.now();
    long nanos = System.nanoTime();
    return () -> begun.plusNanos(System.nanoTime() - nanos);
  }

  /** One that agrees with the store at once, and then only when {@link #sync} is called. */
  static ClusterClock agreed(
      TimeStore store, Duration interval, LongSupplier nanoTime, InstantSource wall) {
    Duration lasts = interval.multipliedBy(CORRECTED_FOR);
    long asked = nanoTime.getAsLong();
    TimeStore.Reading reading = answer(store);
    long answered = nanoTime.getAsLong();
    ClusterTime first = ClusterTime.first(answered, reading, lasts);
    for (int i = 1; i < FIRST_ANSWERS && answered - asked > MOST_APART.toNanos() / 2; i++) {
      asked = answered;
      reading = answer(store);
      answered = nanoTime.getAsLong();
      first = first.agreed(answered, reading, lasts);
    }
    ClusterClock clock = new ClusterClock(store, interval, nanoTime, wall, first);
    clock.measure(reading);
    return clock;
  }

  /** What the store says to a process that has no time yet. */
  private static TimeStore.Reading answer(TimeStore store) {
    try {
      return store.agree(Optional.empty()).toCompletableFuture().join();
    } catch (CompletionException failure) {
      throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
    }
  }

  @Override
  public Instant instant() {
    long now = time.at(nanoTime.getAsLong());
    // A reader that was held up between the two may come with the faster rate of before.
    return ClusterTime.instant(latest.accumulateAndGet(now, Math::max));
  }

  /** How far clocks were off when the store last answered in time. */
  public ClockSkew skew() {
    return skew;
  }

  /**
   * Calls the listener after each answer of the store that was not late, on a thread that must not
   * be held up.
   */
  public void onSkew(Consumer<ClockSkew> listener) {
    listeners.add(listener);
  }

  /** Agrees with the store unless that is under way; completes when it has, or has failed. */
  CompletionStage<Void> sync() {
    if (!asking.compareAndSet(false, true)) {
      return CompletableFuture.completedStage(null);
    }
    CompletionStage<TimeStore.Reading> answer;
    long asked = nanoTime.getAsLong();
    try {
      answer = store.agree(Optional.of(instant()));
    } catch (RuntimeException failure) {
      answer = CompletableFuture.failedStage(failure);
    }
    return answer.handle((reading, failure) -> {
      if (failure == null) {
        long answered = nanoTime.getAsLong();
        time = time.agreed(answered, reading, interval.multipliedBy(CORRECTED_FOR));
        // A store that was held up has answered a question of a time that has gone by.
        if (answered - asked <= interval.toNanos()) {
          measure(reading);
        }
      } else {
        LOG.debug("the cluster time goes on by this process' clock: {}", failure.toString());
      }
      asking.set(false);
      return null;
    });
  }

  private void measure(TimeStore.Reading reading) {
    skew =
        new ClockSkew(
            Duration.between(instant(), wall.instant()),
            Duration.between(reading.cluster(), reading.store()));
    listeners.forEach(listener -> listener.accept(skew));
  }

  /** Ends the agreeing; the clock goes on by the process' monotonic clock. */
  @Override
  public void close() {
    timer.shutdownNow();
  }

  /**
   * Cluster time as one process has it: what it was at an instant of the process' monotonic clock,
   * and how much faster or slower than that clock it goes for a while.
   *
   * @param nanos the instant, as {@link System#nanoTime}
   * @param cluster cluster time then, in nanoseconds since 1970
   * @param rate what cluster time gains on the monotonic clock, from -{@link #MOST_RATE} to {@link
   *     #MOST_RATE}
   * @param lasts for how many nanoseconds it gains that; then it goes as the monotonic clock does
   */
  record ClusterTime(long nanos, long cluster, double rate, long lasts) {

    /** What cluster time gains or loses at most: 5 %. */
    static final double MOST_RATE = 0.05;

    /** In what time a small difference would be made good. */
    private static final double CORRECTED_WITHIN_NANOS = 60e9;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** As it was answered first. */
    static ClusterTime first(long nanos, TimeStore.Reading reading, Duration lasts) {
      return corrected(nanos, nanos(reading.cluster()), reading, lasts);
    }

    /**
     * Cluster time from an answer on: never less than it was, never behind what others have said.
     *
     * @param now when the answer came, as {@link System#nanoTime}
     * @param lasts for how long what the answer says of the store's clock is good
     */
    ClusterTime agreed(long now, TimeStore.Reading reading, Duration lasts) {
      return corrected(now, Math.max(at(now), nanos(reading.cluster())), reading, lasts);
    }

    private static ClusterTime corrected(
        long now, long cluster, TimeStore.Reading reading, Duration lasts) {
      double ahead = (double) Duration.between(reading.cluster(), reading.store()).toMillis() * 1e6;
      double rate = Math.clamp(ahead / CORRECTED_WITHIN_NANOS, -MOST_RATE, MOST_RATE);
      return new ClusterTime(now, cluster, rate, lasts.toNanos());
    }

    /** In nanoseconds since 1970. */
    long at(long now) {
      long elapsed = Math.max(0, now - nanos);
      return cluster + elapsed + (long) (rate * Math.min(elapsed, lasts));
    }

    static long nanos(Instant instant) {
      return Math.addExact(
          Math.multiplyExact(instant.getEpochSecond(), NANOS_PER_SECOND), instant.getNano());
    }

    static Instant instant(long nanos) {
      return Instant.ofEpochSecond(0, nanos);
    }
  }

  /** Where the cluster time is kept that processes have agreed upon. */
  @FunctionalInterface
  public interface TimeStore {

    /**
     * What a store answered.
     *
     * @param cluster the greatest cluster time of all that processes have said, to the millisecond
     * @param store what the store's own clock showed at the same moment
     */
    record Reading(Instant cluster, Instant store) {}

    /**
     * Keeps the greater of a process' cluster time and of what is stored, and answers it. Without
     * one, what is stored is first advanced by what has gone by on the store's clock since the last
     * call of any process, if that is not negative; where nothing is stored, the store's clock
     * begins it. A call that is repeated does no harm.
     *
     * @param mine the caller's cluster time; empty before its first answer
     * @return fails while the store does not answer
     */
    CompletionStage<Reading> agree(Optional<Instant> mine);
  }

  /**
   * How far clocks are ahead of cluster time; negative where they are behind.
   *
   * @param node the wall clock of this process' machine
   * @param store the store's clock
   */
  public record ClockSkew(Duration node, Duration store) {

    public static final ClockSkew NONE = new ClockSkew(Duration.ZERO, Duration.ZERO);
  }
}
