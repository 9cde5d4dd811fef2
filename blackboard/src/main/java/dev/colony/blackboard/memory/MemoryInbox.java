package dev.colony.blackboard.memory;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.inbox.InboxBucket;
import dev.colony.blackboard.inbox.InboxHints;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Requests and wakes in the order of their arrival, per bucket. */
final class MemoryInbox implements Inbox {

  private record Sleeper(Scope scope, String recipient) {}

  /** The newest write that matched while a wake is pending. */
  private record Match(String key, Position position) {}

  private final InboxHints hints;
  private final List<Map<String, InboxMessage>> pending;
  private final Map<Sleeper, Match> woken = new HashMap<>();
  private long last;
  private boolean closed;

  MemoryInbox(int buckets, Executor listeners) {
    this.hints = new InboxHints(listeners);
    this.pending =
        IntStream.range(0, buckets)
            .<Map<String, InboxMessage>>mapToObj(bucket -> new LinkedHashMap<>())
            .toList();
  }

  synchronized void put(
      Scope scope, String key, Position position, JsonNode value, String recipient) {
    put(new InboxMessage.Request(nextId(), recipient, scope, key, position, value));
  }

  /** Puts a wake in, or, where one is pending, notes that there is more. */
  synchronized void wake(Scope scope, String recipient, String key, Position position) {
    Match before = woken.put(new Sleeper(scope, recipient), new Match(key, position));
    if (before == null) {
      put(new InboxMessage.Wake(nextId(), recipient, scope, key, position));
    }
  }

  /** What has matched until now is not to wake it again. */
  synchronized void wakeNoMore(Scope scope, String recipient) {
    woken.computeIfPresent(
        new Sleeper(scope, recipient), (any, match) -> new Match(match.key(), Position.BEGINNING));
  }

  synchronized void close() {
    closed = true;
  }

  private String nextId() {
    return Long.toString(++last);
  }

  private void put(InboxMessage message) {
    int bucket = InboxBucket.of(message.scope(), pending.size());
    pending.get(bucket).put(message.id(), message);
    hints.hint(bucket);
  }

  @Override
  public int buckets() {
    return pending.size();
  }

  @Override
  public synchronized CompletionStage<List<InboxMessage>> pending(int bucket, int limit) {
    Map<String, InboxMessage> waiting = of(bucket);
    return closed
        ? MemoryBoardStore.refused()
        : CompletableFuture.completedStage(
            waiting.values().stream().limit(limit).map(MemoryInbox::copy).toList());
  }

  /** So that nobody changes the value that another one is handed. */
  private static InboxMessage copy(InboxMessage message) {
    return switch (message) {
      case InboxMessage.Request request ->
          new InboxMessage.Request(
              request.id(),
              request.recipient(),
              request.scope(),
              request.key(),
              request.position(),
              request.value().deepCopy());
      case InboxMessage.Wake wake -> wake;
    };
  }

  @Override
  public synchronized CompletionStage<Long> length() {
    return CompletableFuture.completedStage(pending.stream().mapToLong(Map::size).sum());
  }

  @Override
  public synchronized CompletionStage<Void> acknowledge(
      int bucket, Collection<? extends InboxMessage> messages) {
    Map<String, InboxMessage> waiting = of(bucket);
    if (closed) {
      return MemoryBoardStore.refused();
    }
    for (InboxMessage message : messages) {
      if (waiting.remove(message.id()) != null && message instanceof InboxMessage.Wake wake) {
        wakeAgain(wake);
      }
    }
    return CompletableFuture.completedStage(null);
  }

  private void wakeAgain(InboxMessage.Wake seen) {
    Match newest = woken.remove(new Sleeper(seen.scope(), seen.recipient()));
    if (newest.position().compareTo(seen.position()) > 0) {
      wake(seen.scope(), seen.recipient(), newest.key(), newest.position());
    }
  }

  @Override
  public AutoCloseable onHint(IntConsumer listener) {
    return hints.listen(listener);
  }

  private Map<String, InboxMessage> of(int bucket) {
    return pending.get(Objects.checkIndex(bucket, pending.size()));
  }
}
