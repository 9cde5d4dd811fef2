package dev.colony.server.http;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.server.AuditLog.Action;
import dev.colony.server.Principal;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;

/**
 * How often each caller may ask; all who are not known share one allowance, so that guessing keys
 * is slow and holds up no caller that has one. Thread-safe. A token bucket per caller.
 */
final class RequestRates {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final HttpSettings.Rate settings;
  private final Bucket withoutKey;
  private final Map<String, Bucket> byCaller = Collections.synchronizedMap(new LatestCallers());

  /** Issuers may know any number of subjects: who has not asked for longest is forgotten. */
  private static final class LatestCallers extends LinkedHashMap<String, Bucket> {

    private static final long serialVersionUID = 1L;
    private static final int MOST = 10_000;

    LatestCallers() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
      return size() > MOST;
    }
  }

  /**
   * @param withoutKey requests a second, of all that have no valid key together
   */
  RequestRates(HttpSettings.Rate settings, int withoutKey) {
    this.settings = settings;
    this.withoutKey = bucket(withoutKey, withoutKey);
  }

  /**
   * Counts a request.
   *
   * @throws Refusal if it comes too early
   */
  void count(Principal principal) {
    take(
        byCaller.computeIfAbsent(
            principal.title(), title -> bucket(settings.burst(), settings.perSecond())),
        principal.title());
  }

  /** Counts one without a valid key, in the same way. */
  void countWithoutKey() {
    take(withoutKey, "all callers without a valid key");
  }

  private static void take(Bucket bucket, String who) {
    ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
    if (!probe.isConsumed()) {
      long seconds = Duration.ofNanos(probe.getNanosToWaitForRefill()).toSeconds() + 1;
      throw Refusal.of(
          Code.TOO_MANY_REQUESTS,
          who + " asks too often: wait " + seconds + " s",
          Map.of("Retry-After", Long.toString(seconds)));
    }
  }

  private static Bucket bucket(long capacity, long perSecond) {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(capacity).refillGreedy(perSecond, SECOND))
        .build();
  }

  /**
   * Lets so many requests be worked on at a time, since each may hold a page of what it read;
   * further ones wait for their turn in the order in which they came. Blocks. Thread-safe.
   */
  static final class AtWork {

    private final Semaphore places;
    private final Duration longest;

    /**
     * @param longest that one waits for its turn
     */
    AtWork(int places, Duration longest) {
      this.places = new Semaphore(places, true);
      this.longest = longest;
    }

    /**
     * Does the work when it is its turn.
     *
     * @throws Refusal if that does not come in time; nothing has happened then
     */
    <T> T take(Supplier<T> work) {
      if (!turn()) {
        throw Refusal.of(
            Code.TIMEOUT, "the node has too much to do; ask again", Map.of("Retry-After", "1"));
      }
      try {
        return work.get();
      } finally {
        places.release();
      }
    }

    private boolean turn() {
      try {
        return places.tryAcquire(longest.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException ending) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  /**
   * How much each caller has under way at once. Thread-safe.
   *
   * @param most of one caller
   */
  record PerKey(int most, Map<String, Integer> underWay) {

    PerKey(int most) {
      this(most, new ConcurrentHashMap<>());
    }

    /** Whether the key has as much under way as it may. */
    boolean full(String key) {
      return underWay.getOrDefault(key, 0) >= most;
    }

    /** Counts one more, unless that is too much. */
    boolean enter(String key) {
      if (underWay.merge(key, 1, Integer::sum) <= most) {
        return true;
      }
      leave(key);
      return false;
    }

    void leave(String key) {
      underWay.computeIfPresent(key, (name, count) -> count == 1 ? null : count - 1);
    }
  }

  /**
   * How long one request takes, and what it does that is for the audit log; told once: by its
   * answer, or by that it has none in time. Thread-safe.
   */
  static final class RequestTiming {

    /** Names a request: the caller's header, else one of ours, and the header of the answer. */
    static final String REQUEST_ID = "X-Request-Id";

    private final ApiListener listener;
    private final Stopwatch watch = Stopwatch.start();
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile Optional<String> operation = Optional.empty();
    private volatile Optional<Action> action = Optional.empty();

    RequestTiming(ApiListener listener) {
      this.listener = listener;
    }

    void of(Endpoint endpoint) {
      operation = Optional.of(endpoint.operationId());
    }

    void does(Action what) {
      action = Optional.of(what);
    }

    /** The answer, which is told; with the id under which the audit log has it, if it does. */
    HttpResponse answered(HttpResponse answer) {
      int status = answer.status().intValue();
      boolean first = told.compareAndSet(false, true);
      if (first) {
        listener.answered(operation, status, watch.elapsed());
      }
      if (action.isEmpty()) {
        return answer;
      }
      Action done = action.get();
      Optional<String> own = answer.getHeader(REQUEST_ID).map(HttpHeader::value);
      if (first) {
        own.map(done::under).orElse(done).answered(status);
      }
      return own.isPresent()
          ? answer
          : answer.addHeader(RawHeader.create(REQUEST_ID, done.request()));
    }
  }
}
