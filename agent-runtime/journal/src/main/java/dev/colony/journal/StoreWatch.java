package dev.colony.journal;

import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.journal.Acknowledged.RecentWrites;
import dev.colony.journal.Journal.JournalListener;
import dev.colony.journal.JournalException.LostEventsException;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the store has gone back to an older state: a replica that was behind has become the
 * master, or a server has come back from a file that lacks its end. Such a store is consistent, so
 * nothing in it shows what it has lost.
 *
 * <p><b>Ticks.</b> Every {@code interval} in which the node has written, it stores the number of
 * its tick on each server. A server on which its last tick is not what this node has been told is
 * stored has gone back, to within an interval.
 *
 * <p><b>What was acknowledged.</b> After each lost connection, and after a tick that tells of it,
 * the last event of each log that this node remembers is held against the store. A log that lacks
 * it takes nothing more ({@link LostEventsException}), whichever node its writer is, until an
 * operator has decided. Until that is done no log is recovered here ({@link #settled}).
 *
 * <p><b>Nodes that died with what they remembered.</b> Each node sees the ticks of the others. One
 * that had its ticks taken away by a server that went back, and does not tick again, may have had
 * events acknowledged of which nothing is known: {@link #diedUnknown}.
 *
 * <p>Thread-safe. Until {@link #start} it only remembers.
 */
final class StoreWatch implements AutoCloseable {

  /**
   * What no operator has a reason to change; tests do.
   *
   * @param interval between two ticks of the node, to which it is noticed where the node that wrote
   *     has died
   * @param hold how long recoveries wait after that for the other nodes to find what was lost
   * @param logs of how many logs what was acknowledged is remembered; 10,000 take about half a
   *     second after each lost connection
   * @param bytes how much of it may be remembered, the last event of the newest log excepted
   * @param events how many of one log
   * @param writes how many writes of agents to the blackboard are remembered
   * @param writesKept for how long: longer than it takes until the node notices
   */
  record Bounds(
      Duration interval,
      Duration hold,
      int logs,
      long bytes,
      int events,
      int writes,
      Duration writesKept) {

    static final Bounds USUAL =
        new Bounds(
            Duration.ofMillis(200),
            Duration.ofSeconds(3),
            10_000,
            32 << 20,
            64,
            2_000,
            Duration.ofMinutes(1));
  }

  static final RedisScript TICK =
      RedisScript.resource(StoreWatch.class, "watch.lua", ScriptOutputType.MULTI);
  static final RedisScript VERIFY =
      RedisScript.resource(StoreWatch.class, "verify.lua", ScriptOutputType.INTEGER);

  private static final Logger LOG = LoggerFactory.getLogger(StoreWatch.class);

  /** In the hash of ticks, before the name of a node that died when its ticks were lost. */
  private static final String GONE = "gone:";

  /** Verifications under way at once. */
  private static final int BATCH = 500;

  private final RedisConnections redis;
  private final JournalKeys keys;
  private final Bounds settings;
  private final Duration patience;
  private final Acknowledged acknowledged;
  private final List<String> all;
  private final Map<String, Server> servers = new HashMap<>();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();
  private final Set<String> lost = ConcurrentHashMap.newKeySet();
  private final Map<String, LostLogs.Decided> decisions = new ConcurrentHashMap<>();
  private final RecentWrites recent;

  /** Of this node alone, which nothing sets: it says since when the store has gone back. */
  private final InstantSource clock = ClusterClock.local();

  private volatile JournalListener listener = JournalListener.NONE;
  private volatile CompletableFuture<Void> settled = CompletableFuture.completedFuture(null);
  private volatile ScheduledExecutorService timer;
  private volatile String node = "";
  private volatile Function<String, CompletionStage<Boolean>> restorer;
  private boolean ticking;

  /** Whether the others have to see that this node lives, although it has written nothing. */
  private boolean missed;

  private long ticks;
  private long disturbances;

  /** What this node knows of one server. */
  private static final class Server {
    long last;
    Instant lastAt = Instant.EPOCH;
    Map<String, Long> others = Map.of();
    final Map<String, Long> missing = new HashMap<>();
    Stopwatch missingSince = Stopwatch.start();
  }

  StoreWatch(RedisConnections redis, JournalKeys keys, Bounds settings, Duration patience) {
    this.redis = redis;
    this.keys = keys;
    this.settings = settings;
    this.acknowledged = new Acknowledged(settings.logs(), settings.bytes(), settings.events());
    this.recent = new RecentWrites(clock, settings.writes(), settings.writesKept());
    this.patience = patience;
    this.all = IntStream.range(0, keys.slots()).mapToObj(keys::ticks).toList();
  }

  Acknowledged acknowledged() {
    return acknowledged;
  }

  void listen(JournalListener told) {
    listener = told;
  }

  /**
   * Begins to tick, once.
   *
   * @param name of this node, as in claims
   * @param restore gives a log back what it has lost, if that is remembered here
   */
  synchronized void start(String name, Function<String, CompletionStage<Boolean>> restore) {
    if (timer != null) {
      return;
    }
    node = name;
    restorer = restore;
    settled = new CompletableFuture<>();
    timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("journal-watch").factory());
    redis.onLost(this::disturbed);
    long nanos = settings.interval().toNanos();
    timer.scheduleWithFixedDelay(this::tick, 0, nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Completes when it has been found out which logs lack events that this node remembers; fails
   * with a retryable {@link JournalException} where that takes too long.
   */
  CompletionStage<Void> settled() {
    CompletableFuture<Void> now = settled;
    return now.isDone()
        ? now
        : now.copy()
            .orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
            .exceptionallyCompose(late ->
                CompletableFuture.failedStage(
                    new JournalException(
                        "Redis has not answered, or what it lost is being looked for",
                        late,
                        true)));
  }

  /** Whether a node died together with a store that went back, so that what it did is unknown. */
  boolean diedUnknown(String claimant) {
    return gone.contains(claimant);
  }

  /** A log lacks events. */
  void found(String persistenceId, long stored, long acknowledgedTo) {
    if (lost.add(persistenceId)) {
      LOG.error(
          "the log of {} lacks event {}, which the store had acknowledged; it ends at {}, and takes"
              + " nothing more until an operator decides",
          persistenceId,
          acknowledgedTo,
          stored);
      listener.lost(persistenceId, stored, acknowledgedTo);
    }
  }

  /** What is done again where the store goes back. */
  RecentWrites recent() {
    return recent;
  }

  /** What an operator has decided about a log that is recovered here. */
  void decided(String persistenceId, Optional<LostLogs.Decided> decision) {
    if (decision.isPresent()) {
      lost.remove(persistenceId);
      decisions.put(persistenceId, decision.get());
    } else {
      decisions.remove(persistenceId);
    }
  }

  /** That of the last recovery, if it has not been taken. */
  Optional<LostLogs.Decided> takeDecision(String persistenceId) {
    return Optional.ofNullable(decisions.remove(persistenceId));
  }

  /** Where the nodes tick: one hash for each server. */
  List<String> hashes() {
    return redis.onePerServer(all);
  }

  /** Holds a log whose end is unknown, until an operator has decided. */
  CompletionStage<Void> hold(String persistenceId) {
    return verify(persistenceId, "", "").thenAccept(stored -> {});
  }

  /** What is sent from here on may reach a server that has gone back. */
  private synchronized void disturbed() {
    disturbances++;
    if (settled.isDone()) {
      settled = new CompletableFuture<>();
    }
  }

  private void tick() {
    long number;
    long before;
    boolean writes;
    synchronized (this) {
      if (ticking) {
        return;
      }
      ticking = true;
      writes = acknowledged.takeWritten() || ticks == 0 || missed;
      missed = false;
      number = writes ? ++ticks : ticks;
      before = disturbances;
    }
    OptionalLong stored = writes ? OptionalLong.of(number) : OptionalLong.empty();
    Instant now = clock.instant();
    List<String> asked = hashes();
    CompletableFuture<?>[] replies =
        asked.stream()
            .map(hash ->
                TICK.<List<?>>run(
                        redis.commands(),
                        new String[] {hash},
                        text(node),
                        text(writes ? Long.toString(number) : ""))
                    .thenAccept(reply -> ticked(hash, stored, now, reply))
                    .toCompletableFuture())
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(replies)
        .whenComplete((done, failure) -> {
          if (failure != null) {
            LOG.debug("the store did not take a tick", failure);
          }
          ended(failure == null && !asked.isEmpty(), before);
        });
  }

  private void ended(boolean answered, long before) {
    boolean verify;
    synchronized (this) {
      verify = answered && !settled.isDone() && before == disturbances;
      ticking = verify;
    }
    if (verify) {
      verify(acknowledged.all(), 0)
          .whenComplete((done, failure) -> {
            synchronized (this) {
              ticking = false;
              boolean held =
                  servers.values().stream().anyMatch(server -> !server.missing.isEmpty());
              if (failure == null && before == disturbances && !held) {
                settled.complete(null);
              }
            }
          });
    }
  }

  /** Restores what is asked for, if it is remembered here; else another node does, or none. */
  private void restore(String hash, String persistenceId) {
    restorer
        .apply(persistenceId)
        .whenComplete((restored, failure) -> {
          if (failure != null) {
            LOG.warn("the lost events of {} cannot be restored", persistenceId, failure);
          } else if (restored) {
            lost.remove(persistenceId);
            redis.commands().hdel(hash, LostLogs.WANTED + persistenceId);
          }
        });
  }

  /**
   * A server has answered.
   *
   * @param number of the tick that is stored there now; empty where none was stored
   */
  private synchronized void ticked(String hash, OptionalLong number, Instant now, List<?> reply) {
    Server server = servers.computeIfAbsent(hash, any -> new Server());
    long before = Long.parseLong(string(reply.get(0)));
    Map<String, Long> others = others(hash, (List<?>) reply.get(1));
    boolean back = before < server.last;
    if (back) {
      disturbed();
      missed = true;
      Instant since = server.lastAt.minus(settings.interval().multipliedBy(server.last - before));
      LOG.error(
          "Redis at {} has gone back to an older state: what it acknowledged since {} may be gone."
              + " Agents that lack events do nothing until an operator has decided",
          redis.address(),
          since);
      redis
          .commands()
          .hset(hash, LostLogs.ROLLBACK, text(new LostLogs.Rollback(now, since).toString()));
      listener.rolledBack(since);
      recent.repeatSince(since);
    }
    // One that has left has taken its tick away, which is not lost; unless all is.
    server.others.forEach((other, seen) -> {
      if (others.getOrDefault(other, back ? 0L : seen) < seen) {
        server.missing.put(other, seen);
        server.missingSince = Stopwatch.start();
      }
    });
    server
        .missing
        .entrySet()
        .removeIf(one -> others.getOrDefault(one.getKey(), 0L) > one.getValue());
    boolean waited = server.missingSince.isOver(settings.hold());
    if (waited && !server.missing.isEmpty()) {
      server.missing.forEach((other, seen) -> {
        gone.add(other);
        redis.commands().hset(hash, GONE + other, text(Long.toString(seen)));
      });
      server.missing.clear();
    }
    server.last = number.orElse(before);
    server.lastAt = number.isPresent() ? now : server.lastAt;
    server.others = others;
  }

  /** The ticks of the other nodes; those that are known to have died are noted. */
  private Map<String, Long> others(String hash, List<?> fields) {
    Map<String, Long> others = new HashMap<>();
    Map<String, Long> died = new HashMap<>();
    for (int i = 0; i + 1 < fields.size(); i += 2) {
      String name = string(fields.get(i));
      if (name.startsWith(GONE)) {
        died.put(name.substring(GONE.length()), Long.parseLong(string(fields.get(i + 1))));
      } else if (name.startsWith(LostLogs.WANTED)) {
        restore(hash, name.substring(LostLogs.WANTED.length()));
      } else if (!name.equals(node) && !name.equals(LostLogs.ROLLBACK)) {
        others.put(name, Long.parseLong(string(fields.get(i + 1))));
      }
    }
    died.forEach((name, seen) -> {
      if (others.getOrDefault(name, 0L) > seen) {
        // It was late, and remembers what it had acknowledged.
        gone.remove(name);
        redis.commands().hdel(hash, GONE + name);
      } else {
        gone.add(name);
      }
    });
    return others;
  }

  private CompletionStage<Void> verify(List<Acknowledged.Last> all, int from) {
    if (from >= all.size()) {
      return CompletableFuture.completedStage(null);
    }
    List<Acknowledged.Last> some = all.subList(from, Math.min(all.size(), from + BATCH));
    CompletableFuture<?>[] answers =
        some.stream().map(this::verify).toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(answers).thenCompose(done -> verify(all, from + BATCH));
  }

  private CompletableFuture<Void> verify(Acknowledged.Last last) {
    return verify(
            last.persistenceId(), Long.toString(last.sequenceNr()), AppendCall.sha1(last.frame()))
        .thenAccept(stored -> {
          if (stored >= 0) {
            found(last.persistenceId(), stored, last.sequenceNr());
          }
        })
        .toCompletableFuture();
  }

  private CompletionStage<Long> verify(String persistenceId, String number, String digest) {
    int slot = keys.slot(persistenceId);
    String[] touched = {
      keys.events(slot, persistenceId), keys.meta(slot, persistenceId), keys.lost(slot)
    };
    return VERIFY.run(redis.commands(), touched, text(persistenceId), text(number), text(digest));
  }

  /** Ticks no more, as if the node had died. */
  void halt() {
    ScheduledExecutorService running = timer;
    if (running != null) {
      running.shutdownNow();
    }
  }

  /** Ticks no more, and has the others not look for its ticks: what it was told is stored. */
  @Override
  public void close() {
    halt();
    if (timer != null) {
      hashes().forEach(hash -> redis.commands().hdel(hash, node));
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String string(Object bulk) {
    return new String((byte[]) bulk, StandardCharsets.UTF_8);
  }
}
