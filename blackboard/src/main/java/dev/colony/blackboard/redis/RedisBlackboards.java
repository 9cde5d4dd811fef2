package dev.colony.blackboard.redis;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.blackboard.board.Boards;
import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.clock.ClusterClock.ClockSkew;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.payload.PayloadSweep.Swept;
import dev.colony.blackboard.redis.ScopeCalls.Lanes;
import dev.colony.blackboard.redis.ScopeCalls.RedisTime;
import dev.colony.blackboard.redis.TenantRights.RequiredPermissions;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blackboard in Redis.
 *
 * <p><b>Atomicity.</b> A commit is one Lua script, which changes entries and their indexes, stores
 * and pushes the events and puts requests and wakes into the inbox. An entry is kept as the very
 * text that is stored and pushed as the event of its last write, its <em>frame</em>.
 *
 * <p><b>Once.</b> Lettuce repeats calls over broken connections; scripts that change something know
 * repeats by their {@linkplain Lanes lanes}. Reading is as good a second time.
 *
 * <p><b>Order.</b> An event's position is its id in the scope's stream: the cluster time, or that
 * of the event before it where its writer's is behind, and its number. Each event names the one
 * before it, so that readers see what was trimmed, and what a server lost.
 *
 * <p><b>Time.</b> Created, updated and expiry times are {@linkplain ClusterClock the cluster's}, in
 * milliseconds. Entries do not expire by Redis' own means, which would leave no event: readers and
 * commits pass over what has expired, and {@link RedisExpiry} has it removed.
 *
 * <p><b>Pushed and stored.</b> Events reach subscribers by pub/sub, and from the stream what
 * pub/sub lost: see {@link dev.colony.blackboard.board.FeedSubscription}.
 */
public final class RedisBlackboards implements Blackboards {

  /** The scripts that must not stop in their middle. */
  private static final List<RedisScript> CHANGING =
      List.of(
          ScopeCalls.COMMIT,
          ScopeCalls.CLEAR,
          ScopeCalls.DURABLE,
          ScopeCalls.WAKE_ON,
          ScopeCalls.EXPIRE,
          ScopeCalls.TRIM,
          RedisTime.AGREE,
          RedisInbox.SETTLE,
          RedisInbox.TAKE,
          RedisInbox.FAIL,
          RedisInbox.BURY,
          RedisInbox.LAPSE,
          RedisInbox.REVIVE,
          EntryReader.READ);

  /** How often in a lease listeners make themselves known. */
  private static final int RENEWALS = 3;

  private final RedisConnections connections;
  private final BlackboardSettings settings;
  private final ClusterClock clock;
  private final Backend backend;
  private final Boards boards;
  private final ScheduledExecutorService sweeper;
  private final RedisInbox inbox;

  /**
   * Opens the blackboard; blocks for a few round trips.
   *
   * @param connections stay the caller's, who closes them after this
   * @throws dev.colony.blackboard.BlackboardException if Redis does not answer, forbids this user
   *     what the scripts do, or holds data of another layout or for another number of inbox buckets
   */
  public RedisBlackboards(RedisConnections connections, BlackboardSettings settings) {
    this(connections, settings, BlackboardListener.NONE);
  }

  /**
   * Opens the blackboard as above.
   *
   * @param listener is told what becomes of calls
   */
  public RedisBlackboards(
      RedisConnections connections, BlackboardSettings settings, BlackboardListener listener) {
    this(connections, settings, listener, BoardPayloads.open(connections, settings, listener));
  }

  RedisBlackboards(
      RedisConnections connections,
      BlackboardSettings settings,
      BlackboardListener listener,
      BoardPayloads payloads) {
    this.connections = connections;
    this.settings = settings;
    RequiredPermissions.check(
        connections,
        ScopeKeys.inbox(0) + "/permissions",
        ScopeKeys.HINTS + "/permissions",
        CHANGING.stream().flatMap(script -> script.commands().stream()).toList());
    Layout.agree(connections, settings.buckets());
    this.clock = ClusterClock.start(new RedisTime(connections), ClusterClock.SYNC_INTERVAL);
    this.backend = backend(connections, settings, clock, payloads);
    this.boards = new Boards(RetryPolicy.USUAL, clock, listener);
    this.inbox = new RedisInbox(backend, settings.buckets());
    this.sweeper =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("blackboard-sweep").factory());
    repeat(this::sweep, settings.bounds().sweepInterval());
    repeat(backend.feeds().topics()::renew, settings.bounds().topics().lease().dividedBy(RENEWALS));
    repeat(backend.expiry()::look, settings.bounds().expiryInterval());
  }

  private static Backend backend(
      RedisConnections connections,
      BlackboardSettings settings,
      ClusterClock clock,
      BoardPayloads payloads) {
    ValueCodec codec = new ValueCodec(settings.maxValueBytes());
    ScopeCalls calls = new ScopeCalls(connections, settings.events(), clock);
    Executor subscribers = task -> Thread.ofVirtual().name("blackboard-subscriber").start(task);
    try {
      return new Backend(
          connections,
          clock,
          codec,
          calls,
          payloads,
          new EntryReader(connections, codec, clock, payloads),
          new RedisExpiry(calls, settings.bounds().expiryInterval(), settings.buckets()),
          new RedisFeeds(connections, calls, codec, payloads, settings, subscribers),
          settings.inbox(),
          new AtomicBoolean());
    } catch (RuntimeException failure) {
      clock.close();
      throw RedisFailure.of(failure);
    }
  }

  /** Looks for what was lost: pushes, and processes that would have removed what has expired. */
  void sweep() {
    backend.feeds().sweep();
    backend.expiry().sweep();
  }

  private void repeat(Runnable task, Duration interval) {
    sweeper.scheduleWithFixedDelay(
        task, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    ScopeKeys keys = ScopeKeys.of(scope, settings.buckets());
    return boards.open(new RedisBoardStore(backend, keys), writer, policies);
  }

  @Override
  public CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but is " + limit);
    }
    return backend.unlessClosed(() -> page(after, limit));
  }

  private CompletionStage<List<Scope>> page(Optional<Scope> after, int limit) {
    Range<byte[]> range =
        Range.from(
            after
                .map(scope -> scope.path().getBytes(StandardCharsets.US_ASCII))
                .map(Range.Boundary::excluding)
                .orElse(Range.Boundary.unbounded()),
            Range.Boundary.unbounded());
    List<CompletableFuture<List<byte[]>>> pages = new ArrayList<>();
    for (int bucket = 0; bucket < settings.buckets(); bucket++) {
      String scopes = ScopeKeys.scopes(bucket);
      pages.add(
          RedisFailure.<List<byte[]>>reading(
                  () -> connections.commands().zrangebylex(scopes, range, Limit.from(limit)))
              .toCompletableFuture());
    }
    return CompletableFuture.allOf(pages.toArray(CompletableFuture[]::new))
        .thenApply(done ->
            pages.stream()
                .flatMap(page -> page.join().stream())
                .map(path -> new String(path, StandardCharsets.US_ASCII))
                .sorted()
                .limit(limit)
                .map(Scope::parse)
                .toList());
  }

  @Override
  public CompletionStage<Trimmed> trim(
      int bucket, Optional<Scope> after, int scopes, Duration age) {
    return backend.unlessClosed(() -> backend.calls().trim(bucket, after, scopes, age));
  }

  @Override
  public CompletionStage<Swept> sweepPayloads(Optional<String> after) {
    return backend.unlessClosed(() -> backend.payloads().sweep(after, clock.instant()));
  }

  @Override
  public BlackboardCounters counters() {
    return boards.counters();
  }

  @Override
  public ClusterClock clock() {
    return clock;
  }

  @Override
  public ClockSkew clockSkew() {
    return clock.skew();
  }

  @Override
  public Inbox inbox() {
    return inbox;
  }

  @Override
  public Topics topics() {
    return backend.feeds().topics();
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
    clock.close();
    backend.close();
    backend.payloads().close();
  }

  /** What the scopes and the inbox of one backend have in common. Thread-safe. */
  record Backend(
      RedisConnections connections,
      InstantSource clock,
      ValueCodec codec,
      ScopeCalls calls,
      BoardPayloads payloads,
      EntryReader reader,
      RedisExpiry expiry,
      RedisFeeds feeds,
      BlackboardSettings.Inbox inbox,
      AtomicBoolean closed) {

    /** The operation, or a failure once this has been closed. */
    <T> CompletionStage<T> unlessClosed(Supplier<CompletionStage<T>> operation) {
      return closed.get() ? RedisFailure.closed() : operation.get();
    }

    void close() {
      closed.set(true);
      feeds.close();
    }

    /** What time it is for the scripts. */
    byte[] now() {
      return RedisTime.argument(clock.instant());
    }
  }

  /**
   * Has entries removed whose time to live is over, by the cluster time, and those that were
   * cleared. Readers do not see them in any case; this is for the memory they take, and for the
   * events of those that expired.
   *
   * <p>A process looks soon into the buckets in which it has written such entries, and every now
   * and then into all, because the process that wrote an entry may be gone. What several processes
   * find has one event: the script removes an entry and stores its event in one.
   */
  static final class RedisExpiry {

    private static final Logger LOG = LoggerFactory.getLogger(RedisExpiry.class);

    /** How many entries one call removes at most: about a millisecond of the server's time. */
    private static final int AT_ONCE = 100;

    private static final class Bucket {
      /** Null while nothing is expected. */
      Deadline due;

      boolean looking;
    }

    private final ScopeCalls calls;
    private final Duration interval;
    private final List<Bucket> buckets = new ArrayList<>();

    /**
     * @param interval after how long a look that failed is repeated
     */
    RedisExpiry(ScopeCalls calls, Duration interval, int buckets) {
      this.calls = calls;
      this.interval = interval;
      for (int i = 0; i < buckets; i++) {
        this.buckets.add(new Bucket());
      }
    }

    /** Something in a bucket expires after a time from now. */
    void expected(int number, long millis) {
      Deadline at = Deadline.in(Duration.ofMillis(millis));
      Bucket bucket = buckets.get(number);
      synchronized (bucket) {
        if (bucket.due == null || at.isBefore(bucket.due)) {
          bucket.due = at;
        }
      }
    }

    /** Something in a bucket is due; looks at once unless a look is under way. */
    void due(int number) {
      expected(number, 0);
      look(number);
    }

    /** Looks into the buckets where something should have expired. */
    void look() {
      for (int number = 0; number < buckets.size(); number++) {
        Bucket bucket = buckets.get(number);
        boolean due;
        synchronized (bucket) {
          due = bucket.due != null && bucket.due.passed();
        }
        if (due) {
          look(number);
        }
      }
    }

    /** Looks into all buckets. */
    void sweep() {
      for (int number = 0; number < buckets.size(); number++) {
        look(number);
      }
    }

    private void look(int number) {
      Bucket bucket = buckets.get(number);
      synchronized (bucket) {
        if (bucket.looking) {
          return;
        }
        bucket.looking = true;
        bucket.due = null;
      }
      calls
          .expire(number, AT_ONCE)
          .whenComplete((next, failure) -> {
            synchronized (bucket) {
              bucket.looking = false;
            }
            if (failure != null) {
              LOG.debug("cannot look for what has expired: {}", failure.toString());
              expected(number, interval.toMillis());
            } else if (next == 0) {
              look(number);
            } else if (next > 0) {
              expected(number, next);
            }
          });
    }
  }
}
