package dev.colony.testkit.board;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.blackboard.board.Boards;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.board.TopicListeners;
import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.value.ValueCodec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A blackboard in the memory of this process: the contract of the Redis one, except that nothing
 * outlives it. Stages complete at once; subscribers are called on threads of their own.
 */
public final class InMemoryBlackboards implements Blackboards {

  private final BlackboardSettings settings;
  private final InstantSource clock;
  private final ValueCodec codec;
  private final Boards boards;
  private final Executor subscribers =
      task -> Thread.ofVirtual().name("blackboard-subscriber").start(task);
  private final MemoryInbox inbox;
  private final MemoryTopics topics;
  private final ConcurrentNavigableMap<String, MemoryScope> scopes = new ConcurrentSkipListMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofVirtual().name("blackboard-expiry").factory());
  private volatile boolean closed;

  public InMemoryBlackboards() {
    this(BlackboardSettings.DEFAULTS, ClusterClock.local());
  }

  /**
   * @param clock says what time it is, to the millisecond
   */
  public InMemoryBlackboards(BlackboardSettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
    this.codec = new ValueCodec(settings.maxValueBytes());
    this.boards = new Boards(RetryPolicy.USUAL, clock);
    this.inbox = new MemoryInbox(settings.buckets(), settings.inbox(), clock, subscribers);
    this.topics = new MemoryTopics(codec, new TopicListeners());
    long pause = settings.bounds().expiryInterval().toMillis();
    timer.scheduleWithFixedDelay(this::sweep, pause, pause, TimeUnit.MILLISECONDS);
  }

  private void sweep() {
    scopes.values().forEach(MemoryScope::sweep);
  }

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    MemoryScope memory =
        scopes.computeIfAbsent(
            scope.path(),
            path -> new MemoryScope(scope, settings, clock, codec, inbox, subscribers));
    return boards.open(new MemoryBoardStore(memory, codec, () -> closed), writer, policies);
  }

  @Override
  public CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit) {
    if (closed) {
      return MemoryBoardStore.refused();
    }
    return CompletableFuture.completedStage(
        scopes.tailMap(after.map(Scope::path).orElse(""), false).values().stream()
            .filter(memory -> !memory.statistics().head().equals(Position.BEGINNING))
            .map(MemoryScope::scope)
            .limit(limit)
            .toList());
  }

  @Override
  public CompletionStage<Trimmed> trim(int bucket, Optional<Scope> after, int most, Duration age) {
    if (closed) {
      return MemoryBoardStore.refused();
    }
    List<MemoryScope> looked =
        scopes.tailMap(after.map(Scope::path).orElse(""), false).values().stream()
            .filter(memory -> InboxBucket.of(memory.scope(), settings.buckets()) == bucket)
            .limit(most)
            .toList();
    int gone = (int) looked.stream().filter(memory -> memory.trim(age)).count();
    return CompletableFuture.completedStage(
        new Trimmed(
            gone, looked.size() < most ? Optional.empty() : Optional.of(looked.getLast().scope())));
  }

  @Override
  public BlackboardCounters counters() {
    return boards.counters();
  }

  @Override
  public InstantSource clock() {
    return clock;
  }

  @Override
  public Inbox inbox() {
    return inbox;
  }

  @Override
  public Topics topics() {
    return topics;
  }

  /** Completes all subscriptions; what is asked for later fails. */
  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    inbox.close();
    topics.listeners().clear();
    scopes.values().forEach(memory -> memory.feed().close());
  }
}
