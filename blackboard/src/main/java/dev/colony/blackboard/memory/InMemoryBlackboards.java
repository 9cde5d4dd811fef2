package dev.colony.blackboard.memory;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.Board;
import dev.colony.blackboard.policy.BoardPolicies;
import dev.colony.blackboard.value.ValueCodec;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;

/**
 * A blackboard in the memory of this process: the contract of the Redis one, except that nothing
 * outlives it. Stages complete at once; subscribers are called on threads of their own.
 */
public final class InMemoryBlackboards implements Blackboards {

  private final BlackboardSettings settings;
  private final Clock clock;
  private final ValueCodec codec;
  private final Executor subscribers =
      task -> Thread.ofVirtual().name("blackboard-subscriber").start(task);
  private final MemoryInbox inbox;
  private final Map<Scope, MemoryScope> scopes = new ConcurrentHashMap<>();
  private volatile boolean closed;

  public InMemoryBlackboards() {
    this(BlackboardSettings.DEFAULTS, Clock.systemUTC());
  }

  /**
   * @param clock says when entries expire
   */
  public InMemoryBlackboards(BlackboardSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.codec = new ValueCodec(settings.maxValueBytes());
    this.inbox = new MemoryInbox(settings.buckets(), subscribers);
  }

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    return new Board(new MemoryBoardStore(scope), writer, policies, settings.retry());
  }

  @Override
  public CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public BlackboardCounters counters() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Inbox inbox() {
    return inbox;
  }

  /** Completes all subscriptions. */
  @Override
  public void close() {
    closed = true;
    scopes.values().forEach(scope -> scope.feed().close());
  }

  Clock clock() {
    return clock;
  }

  /** A copy, as it would come back from a server; refuses what would be refused there. */
  JsonNode checked(String key, JsonNode value) {
    return codec.value(codec.value(key, value));
  }

  void send(Scope scope, String key, JsonNode value, String recipient) {
    inbox.put(scope, key, value, recipient);
  }

  void subscribe(
      MemoryScope scope,
      EventFilter filter,
      SubscribeFrom from,
      Flow.Subscriber<? super BlackboardEvent> subscriber) {
    CompletionStage<Void> pushing =
        closed
            ? CompletableFuture.failedStage(
                new BlackboardException("the blackboard is closed", null, false))
            : CompletableFuture.completedStage(null);
    scope.feed().subscribe(filter, from, subscriber, pushing);
  }
}
