package dev.colony.blackboard.memory;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.inbox.InboxBucket;
import dev.colony.blackboard.inbox.InboxHints;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Requests in the order of their arrival, per bucket. */
final class MemoryInbox implements Inbox {

  private final InboxHints hints;
  private final List<Map<String, InboxMessage>> pending;
  private long last;

  MemoryInbox(int buckets, Executor listeners) {
    this.hints = new InboxHints(listeners);
    this.pending =
        IntStream.range(0, buckets)
            .<Map<String, InboxMessage>>mapToObj(bucket -> new LinkedHashMap<>())
            .toList();
  }

  synchronized void put(Scope scope, String key, JsonNode value, String recipient) {
    int bucket = InboxBucket.of(scope, pending.size());
    String id = Long.toString(++last);
    pending.get(bucket).put(id, new InboxMessage.Request(id, recipient, scope, key, value));
    hints.hint(bucket);
  }

  @Override
  public int buckets() {
    return pending.size();
  }

  @Override
  public synchronized CompletionStage<List<InboxMessage>> pending(int bucket, int limit) {
    return CompletableFuture.completedStage(of(bucket).values().stream().limit(limit).toList());
  }

  @Override
  public synchronized CompletionStage<Void> acknowledge(
      int bucket, Collection<? extends InboxMessage> messages) {
    of(bucket).keySet().removeAll(messages.stream().map(InboxMessage::id).toList());
    return CompletableFuture.completedStage(null);
  }

  @Override
  public AutoCloseable onHint(IntConsumer listener) {
    return hints.listen(listener);
  }

  private Map<String, InboxMessage> of(int bucket) {
    return pending.get(Objects.checkIndex(bucket, pending.size()));
  }
}
