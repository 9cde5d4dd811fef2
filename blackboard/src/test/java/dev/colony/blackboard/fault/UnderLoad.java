package dev.colony.blackboard.fault;

import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisDoor;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A server that brings each write to its disk, clients of it at work in several scopes, and faults
 * one after the other in the midst of it.
 */
final class UnderLoad {

  private static final int CALLERS = 3;
  private static final int CALLS_PER_FAULT = 40;
  private static final int PAGE = 500;

  private static final List<Scope> SCOPES =
      List.of(
          Scope.agent("t", "c", "a"),
          Scope.agent("t", "c", "a").namespace("n"),
          Scope.session("t", "c", "s"));
  private static final Scope LONELY = Scope.colony("t", "c");

  private final long seed;
  private final Random random;
  private final Duration commandTimeout;

  /**
   * @param commandTimeout one below the length of an outage lets calls fail
   */
  UnderLoad(long seed, Duration commandTimeout) {
    this.seed = seed;
    this.random = new Random(seed);
    this.commandTimeout = commandTimeout;
  }

  /** So many faults, each of these kinds about as often as the others, in a random order. */
  List<Fault> draw(List<Fault> kinds, int times) {
    List<Fault> drawn = new ArrayList<>();
    for (int n = 0; n < times; n++) {
      drawn.add(kinds.get(n % kinds.size()));
    }
    Collections.shuffle(drawn, random);
    return drawn;
  }

  /** Fails if one of the invariants does not hold in the end. */
  void suffer(List<Fault> faults) throws Exception {
    // Pushes lost at a reconnect must be missed at once: no sweep comes to help.
    BlackboardSettings settings =
        BlackboardSettings.DEFAULTS
            .withSweepInterval(Duration.ofHours(1))
            .withExpiryInterval(Duration.ofMillis(50))
            .withSubscriber(new BlackboardSettings.Subscriber(16, 1 << 16))
            .withEvents(new BlackboardSettings.Events(1 << 20, 1 << 20, 1L << 28));
    RedisSettings connection =
        RedisSettings.withTimeout(commandTimeout)
            .withReconnect(Duration.ofMillis(20), Duration.ofMillis(200))
            .withSilentAfter(Duration.ofMillis(400));
    try (TestRedis redis = TestRedis.start();
        RedisDoor door = new RedisDoor(redis.port());
        RedisConnections connections = new RedisConnections(door.uri(), connection);
        RedisBlackboards blackboards = new RedisBlackboards(connections, settings);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      AtomicBoolean available = new AtomicBoolean(true);
      connections.onAvailability(available::set);
      List<ScopeUnderLoad> scopes = new ArrayList<>();
      for (Scope scope : SCOPES) {
        scopes.add(new ScopeUnderLoad(blackboards, scope, CALLERS, true, random.nextLong()));
      }
      scopes.add(new ScopeUnderLoad(blackboards, LONELY, CALLERS, false, random.nextLong()));
      scopes.forEach(scope -> scope.start(threads, CALLS_PER_FAULT * (faults.size() + 1)));
      hurt(scopes, faults, new Victim(redis, door, available));
      report(scopes, faults, blackboards);
    }
  }

  private void hurt(List<ScopeUnderLoad> scopes, List<Fault> faults, Victim victim) {
    int round = CALLS_PER_FAULT * CALLERS * scopes.size();
    for (int n = 0; n < faults.size(); n++) {
      allow(scopes);
      int reached = n * round + random.nextInt(round / 8, round / 2);
      await("the load goes on after " + faults.subList(0, n))
          .atMost(Fault.PATIENCE)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> done(scopes) >= reached);
      faults.get(n).inflict(victim);
    }
    allow(scopes);
  }

  private static void allow(List<ScopeUnderLoad> scopes) {
    scopes.forEach(scope -> scope.callers().forEach(caller -> caller.allow(CALLS_PER_FAULT)));
  }

  private static int done(List<ScopeUnderLoad> scopes) {
    return scopes.stream().flatMap(scope -> scope.callers().stream()).mapToInt(Caller::done).sum();
  }

  private void report(List<ScopeUnderLoad> scopes, List<Fault> faults, RedisBlackboards blackboards)
      throws Exception {
    List<Account> accounts = new ArrayList<>();
    for (ScopeUnderLoad scope : scopes) {
      accounts.add(scope.finish());
    }
    List<InboxMessage.Request> requests = drain(blackboards);
    Invariants invariants = new Invariants();
    StringBuilder summary = new StringBuilder("seed " + seed + ", faults " + faults);
    for (Account account : accounts) {
      summary.append("\n  ").append(account.summary());
      account.check(
          requests.stream().filter(one -> one.scope().equals(account.scope())).toList(),
          invariants);
    }
    invariants.report(summary.toString());
  }

  private static List<InboxMessage.Request> drain(RedisBlackboards blackboards) {
    List<InboxMessage.Request> requests = new ArrayList<>();
    for (int bucket = 0; bucket < blackboards.inbox().buckets(); bucket++) {
      List<InboxMessage> page = now(blackboards.inbox().pending(bucket, PAGE));
      while (!page.isEmpty()) {
        page.forEach(message -> requests.add((InboxMessage.Request) message));
        now(blackboards.inbox().acknowledge(bucket, page));
        page = now(blackboards.inbox().pending(bucket, PAGE));
      }
    }
    return requests;
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage
        .toCompletableFuture()
        .orTimeout(Fault.PATIENCE.toSeconds(), TimeUnit.SECONDS)
        .join();
  }
}
