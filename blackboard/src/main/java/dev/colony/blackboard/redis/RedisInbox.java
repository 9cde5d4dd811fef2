package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * A stream per bucket: what is in it is not acknowledged. A message has r (the recipient of a
 * request) or w (of a wake), s the scope, and e the frame of the request's entry or k the key and p
 * the position of the write that wakes.
 */
record RedisInbox(Backend backend, int buckets) implements Inbox {

  static final RedisScript SETTLE =
      RedisScript.resources(
          RedisInbox.class,
          ScriptOutputType.INTEGER,
          "frame.lua",
          "scope.lua",
          "wakes.lua",
          "settle.lua");

  @Override
  public CompletionStage<List<InboxMessage>> pending(int bucket, int limit) {
    String stream = inbox(bucket);
    return backend.unlessClosed(() ->
        RedisFailure.reading(() -> redis().xrange(stream, Range.unbounded(), Limit.from(limit)))
            .thenApply(messages -> messages.stream().map(this::message).toList()));
  }

  @Override
  public CompletionStage<Long> length() {
    return backend.unlessClosed(() ->
        IntStream.range(0, buckets)
            .mapToObj(bucket -> RedisFailure.<Long>reading(() -> redis().xlen(inbox(bucket))))
            .reduce(
                CompletableFuture.completedStage(0L),
                (sum, length) -> sum.thenCombine(length, Long::sum)));
  }

  @Override
  public CompletionStage<Void> acknowledge(
      int bucket, Collection<? extends InboxMessage> messages) {
    String stream = inbox(bucket);
    List<String> requests = new ArrayList<>();
    List<byte[]> wakes = new ArrayList<>();
    for (InboxMessage message : messages) {
      switch (message) {
        case InboxMessage.Request request -> requests.add(request.id());
        case InboxMessage.Wake wake -> {
          wakes.add(wake.id().getBytes(UTF_8));
          wakes.add(wake.scope().path().getBytes(UTF_8));
          wakes.add(wake.recipient().getBytes(UTF_8));
          wakes.add(wake.position().toString().getBytes(UTF_8));
        }
      }
    }
    return backend.unlessClosed(
        () -> remove(stream, requests).thenCombine(settle(stream, wakes), (done, settled) -> null));
  }

  private CompletionStage<?> remove(String stream, List<String> ids) {
    return ids.isEmpty()
        ? CompletableFuture.completedStage(null)
        : RedisFailure.reading(() -> redis().xdel(stream, ids.toArray(String[]::new)));
  }

  private CompletionStage<?> settle(String stream, List<byte[]> wakes) {
    return wakes.isEmpty()
        ? CompletableFuture.completedStage(null)
        : RedisFailure.translate(
            SETTLE.run(redis(), new String[] {stream}, wakes.toArray(byte[][]::new)));
  }

  private RedisClusterAsyncCommands<String, byte[]> redis() {
    return backend.connections().commands();
  }

  @Override
  public AutoCloseable onHint(IntConsumer listener) {
    return backend.feeds().hints().listen(listener);
  }

  private String inbox(int bucket) {
    return ScopeKeys.inbox(Objects.checkIndex(bucket, buckets));
  }

  private InboxMessage message(StreamMessage<String, byte[]> message) {
    Scope scope = Scope.parse(text(message, "s"));
    if (message.getBody().containsKey("w")) {
      return new InboxMessage.Wake(
          message.getId(),
          text(message, "w"),
          scope,
          text(message, "k"),
          Position.parse(text(message, "p")));
    }
    Frame frame = new Frame(scope, backend.codec(), message.getBody().get("e"));
    return new InboxMessage.Request(
        message.getId(),
        text(message, "r"),
        scope,
        frame.key().orElseThrow(),
        frame.position(),
        frame.entry().value());
  }

  private static String text(StreamMessage<String, byte[]> message, String field) {
    return new String(message.getBody().get(field), UTF_8);
  }
}
