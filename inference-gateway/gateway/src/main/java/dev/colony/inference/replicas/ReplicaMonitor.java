package dev.colony.inference.replicas;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an eye on replicas: asks each whether it is alive, what its load is, and judges by that and
 * by what becomes of calls whether it may be called. Where a source lists replicas, it is asked for
 * them; they come in addition to those that the gateway knows otherwise.
 *
 * <p>A check passes with any HTTP answer below 500: not every server has a path for it, and one
 * that answers 404 is alive. A hosted service is neither checked nor asked for its load: it is
 * judged by calls alone. A server that does not tell its load in vLLM's way is asked for it only
 * once in {@value #SELDOM} times. Thread-safe; all but the checks answer from memory.
 */
public final class ReplicaMonitor implements ReplicaSet, AutoCloseable {

  /** Hears what replicas say, from any thread; must not block. */
  public interface Listener {

    /** What a replica said of its load. */
    default void load(String replica, EngineLoad load) {}

    /** What a replica said of its cache: in order, from one thread for each replica. */
    default void events(String replica, List<KvEvent> events) {}

    /** A replica's process is another one: its cache is empty. */
    default void restarted(String replica) {}
  }

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaMonitor.class);
  private static final int SELDOM = 30;

  /**
   * What no operator sets.
   *
   * @param refresh how often the source is asked for its list
   * @param check how often each server is asked whether it is alive
   * @param checkTimeout how long it may take to answer
   * @param measure how often each is asked for its load
   */
  public record Bounds(
      Duration refresh,
      Duration check,
      Duration checkTimeout,
      Duration measure,
      ReplicaHealth.Settings health) {

    public static final Bounds USUAL =
        new Bounds(
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            ReplicaHealth.Settings.USUAL);

    /** The same with other intervals of all that is asked by itself. */
    public Bounds every(Duration interval) {
      return new Bounds(interval, interval, checkTimeout, interval, health);
    }

    /** The same by another judgement of health. */
    public Bounds judging(ReplicaHealth.Settings other) {
      return new Bounds(refresh, check, checkTimeout, measure, other);
    }
  }

  private static final class Watched {
    final ReplicaHealth health;
    volatile boolean checking;
    volatile boolean measuring;
    volatile int silent;
    volatile boolean away;

    /** When its process began, by its own word, in seconds; 0 where it has not said so. */
    volatile double started;

    String status = ReplicaHealth.SERVING;

    Watched(ReplicaHealth health) {
      this.health = health;
    }
  }

  private final String model;
  private final ReplicaSettings settings;
  private final Bounds bounds;
  private final Supplier<? extends Collection<Replica>> others;
  private final LongSupplier clock;
  private final ReplicaProbe probe;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("replica-monitor").factory());
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("replica-check-", 0).factory());
  private final Map<String, Watched> watched = new ConcurrentHashMap<>();
  private final CacheFeeds feeds;
  private volatile Listener listener = new Listener() {};
  private volatile Map<String, ReplicaSource.Address> listed = Map.of();
  private volatile Predicate<URI> hosted = server -> false;
  private volatile boolean begun;
  private volatile boolean heard;

  private ReplicaMonitor(
      String model,
      ReplicaSettings settings,
      Bounds bounds,
      Supplier<? extends Collection<Replica>> others,
      LongSupplier clock) {
    this.model = model;
    this.settings = settings;
    this.bounds = bounds;
    this.others = others;
    this.clock = clock;
    this.probe = new ReplicaProbe(bounds.checkTimeout(), threads);
    this.feeds = new CacheFeeds(settings, probe, threads);
  }

  /** Begins to watch those of the model that has no name, by the system's clock. */
  public static ReplicaMonitor start(
      ReplicaSettings settings,
      Optional<ReplicaSource> source,
      Supplier<? extends Collection<Replica>> others) {
    return start("", settings, Bounds.USUAL, source, others);
  }

  /** Begins to watch those of a model with a name, by the system's clock. */
  public static ReplicaMonitor start(String model, ReplicaSettings settings, ReplicaSource source) {
    return start(model, settings, Bounds.USUAL, Optional.of(source), List::of);
  }

  /**
   * Begins to watch. Where replicas are listed by a source, it has been asked once when this
   * returns, whether or not it has answered.
   *
   * @param source where there is one
   * @param others replicas that are known otherwise; asked often, so it answers from memory
   */
  public static ReplicaMonitor start(
      String model,
      ReplicaSettings settings,
      Bounds bounds,
      Optional<ReplicaSource> source,
      Supplier<? extends Collection<Replica>> others) {
    ReplicaMonitor monitor = new ReplicaMonitor(model, settings, bounds, others, System::nanoTime);
    source.ifPresent(monitor::refresh);
    monitor.replicas();
    monitor.begun = true;
    source.ifPresent(from -> monitor.each(bounds.refresh(), () -> monitor.refresh(from)));
    monitor.each(bounds.check(), monitor::checkAll);
    monitor.each(bounds.measure(), monitor::measureAll);
    return monitor;
  }

  @Override
  public Collection<Replica> replicas() {
    Map<URI, Replica> all = new LinkedHashMap<>();
    others.get().forEach(one -> all.put(one.baseUri(), one));
    listed.forEach((id, address) ->
        all.putIfAbsent(address.baseUri(), new Replica(id, address.baseUri(), "", model)));
    Set<String> ids = new HashSet<>();
    all.values()
        .forEach(one -> {
          ids.add(one.id());
          watched.computeIfAbsent(one.id(), id -> new Watched(health()));
        });
    watched.keySet().retainAll(ids);
    return all.values();
  }

  @Override
  public Access access(String replica, boolean full, double reachSeconds) {
    Watched one = watched.get(replica);
    if (one == null) {
      return new Access(true, full, 1, reachSeconds);
    }
    synchronized (one) {
      return one.health.access(full, reachSeconds, clock.getAsLong());
    }
  }

  @Override
  public void sent(String replica) {
    Watched one = watched.get(replica);
    if (one != null) {
      synchronized (one) {
        one.health.breaker().sent(clock.getAsLong());
      }
    }
  }

  @Override
  public void ended(String replica, Outcome outcome) {
    Watched one = watched.get(replica);
    if (one == null) {
      return;
    }
    synchronized (one) {
      long now = clock.getAsLong();
      switch (outcome) {
        case SUCCEEDED -> one.health.breaker().succeeded(now);
        case FAILED -> one.health.breaker().failed(now);
        case NOTHING -> one.health.breaker().cancelled(now);
      }
      tellOf(replica, one, now);
    }
  }

  /** Says which servers are those of a hosted service, and so are asked for nothing but calls. */
  public void judgeByCalls(Predicate<URI> services) {
    hosted = services;
  }

  /** Has all that replicas say from here on handed over; what they said before is lost. */
  public void listen(Listener hears) {
    listener = hears;
    heard = true;
    follow();
  }

  @Override
  public Map<String, String> status() {
    Map<String, String> status = new LinkedHashMap<>();
    long now = clock.getAsLong();
    watched.forEach((id, one) -> {
      synchronized (one) {
        status.put(id, one.health.status(now));
      }
    });
    return status;
  }

  @Override
  public boolean answers(String replica) {
    Watched one = watched.get(replica);
    return one == null || !one.away;
  }

  /** Empty for a hosted service, whose cache is not the gateway's to keep. */
  @Override
  public Optional<ReplicaSettings.CacheControl> eviction(String replica) {
    return engines().stream().anyMatch(one -> one.id().equals(replica))
        ? Optional.of(settings.eviction().control())
        : Optional.empty();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    feeds.close();
    threads.shutdownNow();
    probe.close();
  }

  private void follow() {
    feeds.follow(engines(), this::hears);
  }

  private void hears(String replica, List<KvEvent> events) {
    listener.events(replica, events);
  }

  private ReplicaHealth health() {
    long now = clock.getAsLong();
    return begun
        ? new ReplicaHealth(bounds.health(), now)
        : ReplicaHealth.known(bounds.health(), now);
  }

  private void each(Duration interval, Runnable work) {
    timer.scheduleWithFixedDelay(
        () -> {
          try {
            work.run();
          } catch (RuntimeException failure) {
            LOG.error("replicas are not watched as they should be", failure);
          }
        },
        interval.toNanos(),
        interval.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void refresh(ReplicaSource source) {
    List<ReplicaSource.Address> now;
    try {
      now = source.replicas();
    } catch (IOException unknown) {
      LOG.warn("{}; those known stay: {}", unknown.getMessage(), listed.keySet());
      return;
    }
    Map<String, ReplicaSource.Address> next = new LinkedHashMap<>();
    now.forEach(address -> next.put(id(address), address));
    if (!next.keySet().equals(listed.keySet())) {
      LOG.info("replicas: {}", next.keySet());
    }
    listed = Map.copyOf(next);
    replicas();
    next.forEach((id, address) -> {
      Watched one = watched.get(id);
      if (one != null) {
        synchronized (one) {
          one.health.draining(address.draining());
          tellOf(id, one, clock.getAsLong());
        }
      }
    });
  }

  /** The same server may serve several models, each as a replica of its own. */
  private String id(ReplicaSource.Address address) {
    String at = address.baseUri().getRawAuthority();
    return model.isEmpty() ? at : model + "@" + at;
  }

  private List<Replica> engines() {
    return replicas().stream().filter(one -> !hosted.test(one.baseUri())).toList();
  }

  private void checkAll() {
    if (heard) {
      follow();
    }
    for (Replica replica : engines()) {
      Watched one = watched.get(replica.id());
      if (one == null || one.checking) {
        continue;
      }
      one.checking = true;
      threads.submit(() -> {
        try {
          boolean passed = probe.status(replica, settings.checkPath()) < 500;
          synchronized (one) {
            one.health.checked(passed, clock.getAsLong());
            tellOf(replica.id(), one, clock.getAsLong());
          }
        } finally {
          one.checking = false;
        }
      });
    }
  }

  /** Where vLLM and SGLang tell their figures. */
  private static final String METRICS = "/metrics";

  private void measureAll() {
    for (Replica replica : engines()) {
      Watched one = watched.get(replica.id());
      if (one == null || one.measuring || one.silent > 0 && --one.silent > 0) {
        continue;
      }
      one.measuring = true;
      threads.submit(() -> {
        try {
          Optional<String> told = probe.body(replica, METRICS);
          one.away = told.isEmpty();
          told.ifPresent(text -> measured(replica, one, text));
        } finally {
          one.measuring = false;
        }
      });
    }
  }

  private void measured(Replica replica, Watched one, String metrics) {
    Optional<EngineLoad> load = EngineLoad.parse(metrics);
    one.silent = load.isPresent() ? 0 : SELDOM;
    double started = EngineLoad.started(metrics).orElse(one.started);
    // Time goes on: an earlier one is that of another process behind the same address.
    if (started > one.started) {
      if (one.started > 0) {
        LOG.info("replica {} was restarted: its cache is empty", replica.id());
        feeds.restarted(replica, this::hears);
        listener.restarted(replica.id());
      }
      one.started = started;
    }
    load.ifPresent(told -> listener.load(replica.id(), told));
  }

  private void tellOf(String replica, Watched one, long now) {
    String status = one.health.status(now);
    if (!status.equals(one.status)) {
      LOG.info("replica {} is {}, was {}", replica, status, one.status);
      one.status = status;
    }
  }
}
