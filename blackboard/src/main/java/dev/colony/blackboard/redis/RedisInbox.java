package dev.colony.blackboard.redis;

import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.inbox.InboxHints;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/** A stream per bucket: what is in it is not acknowledged. */
record RedisInbox(RedisConnections connections, ValueCodec codec, InboxHints hints, int buckets)
    implements Inbox {

  @Override
  public CompletionStage<List<InboxMessage>> pending(int bucket, int limit) {
    String stream = inbox(bucket);
    return RedisFailure.reading(() ->
        connections
            .commands()
            .xrange(stream, Range.unbounded(), Limit.from(limit))
            .thenApply(messages -> messages.stream().<InboxMessage>map(this::message).toList()));
  }

  @Override
  public CompletionStage<Void> acknowledge(
      int bucket, Collection<? extends InboxMessage> messages) {
    String stream = inbox(bucket);
    String[] gone = messages.stream().map(InboxMessage::id).toArray(String[]::new);
    return messages.isEmpty()
        ? CompletableFuture.completedStage(null)
        : RedisFailure.reading(() -> connections.commands().xdel(stream, gone).thenAccept(n -> {}));
  }

  @Override
  public AutoCloseable onHint(IntConsumer listener) {
    return hints.listen(listener);
  }

  private String inbox(int bucket) {
    return ScopeKeys.inbox(Objects.checkIndex(bucket, buckets));
  }

  private InboxMessage message(StreamMessage<String, byte[]> message) {
    return new InboxMessage.Request(
        message.getId(),
        text(message, "r"),
        Scope.parse(text(message, "s")),
        text(message, "k"),
        codec.value(message.getBody().get("v")));
  }

  private static String text(StreamMessage<String, byte[]> message, String field) {
    return new String(message.getBody().get(field), StandardCharsets.UTF_8);
  }
}
