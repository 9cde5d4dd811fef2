package dev.colony.blackboard.redis;

import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.feed.EventLog;
import dev.colony.blackboard.feed.LoggedEvent;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

/** The stream of a scope. */
record RedisEventLog(RedisConnections connections, ScopeKeys keys, ValueCodec codec)
    implements EventLog {

  @Override
  public CompletionStage<Position> head() {
    return RedisFailure.reading(() ->
        connections
            .commands()
            .get(keys.head())
            .thenApply(head ->
                head == null
                    ? Position.BEGINNING
                    : Position.parse(new String(head, StandardCharsets.US_ASCII))));
  }

  @Override
  public CompletionStage<Page> read(Position after, int limit, long maxBytes) {
    Range<String> range =
        Range.from(Range.Boundary.excluding(after.toString()), Range.Boundary.unbounded());
    return RedisFailure.reading(() ->
        connections
            .commands()
            .xrange(keys.events(), range, Limit.from(limit))
            .thenApply(messages ->
                messages.stream()
                    .<LoggedEvent>map(message ->
                        EventFrame.stored(
                            keys.scope(), codec, message.getId(), message.getBody().get("e")))
                    .toList())
            .thenApply(found -> new Page(found, found.size() < limit)));
  }

  @Override
  public CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable) {
    throw new UnsupportedOperationException();
  }
}
