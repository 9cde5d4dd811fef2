package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.feed.LoggedEvent;
import dev.colony.blackboard.feed.ScopeEventLog;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The stream of a scope, and how far its durable subscriptions are. */
record RedisEventLog(
    RedisConnections connections, ScopeCalls calls, ScopeKeys keys, ValueCodec codec)
    implements ScopeEventLog {

  private static final RedisScript EVENTS =
      RedisScript.resource(RedisEventLog.class, "events.lua", ScriptOutputType.MULTI);

  /** Sent at once: what is written through the same connections afterwards comes after it. */
  @Override
  public CompletionStage<Position> head() {
    return RedisFailure.reading(
        () -> connections.commands().hget(keys.base(), "p").thenApply(RedisEventLog::position));
  }

  /**
   * @param text null where there never was an event
   */
  static Position position(byte[] text) {
    return text == null ? Position.BEGINNING : Position.parse(new String(text, US_ASCII));
  }

  @Override
  public CompletionStage<Page> read(Position after, int limit, long maxBytes) {
    CompletionStage<List<Object>> reply =
        EVENTS.run(
            connections.commands(),
            new String[] {keys.base()},
            bytes(after.toString()),
            bytes(Integer.toString(limit)),
            bytes(Long.toString(maxBytes)));
    return RedisFailure.translate(reply)
        .thenApply(found ->
            new Page(
                found.stream()
                    .skip(1)
                    .<LoggedEvent>map(frame -> new Frame(keys.scope(), codec, (byte[]) frame))
                    .toList(),
                found.getFirst().equals(1L)));
  }

  @Override
  public CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable) {
    List<byte[]> arguments = durable("register", durable.name());
    if (durable.first() instanceof SubscribeFrom.After after) {
      arguments.add(bytes(after.position().toString()));
    }
    return calls.change(ScopeCalls.DURABLE, keys, "", arguments).thenApply(Position::parse);
  }

  CompletionStage<Void> acknowledge(String name, Position position) {
    List<byte[]> arguments = durable("acknowledge", name);
    arguments.add(bytes(position.toString()));
    return calls.change(ScopeCalls.DURABLE, keys, "", arguments).thenAccept(now -> {});
  }

  CompletionStage<Boolean> forget(String name) {
    return calls
        .change(ScopeCalls.DURABLE, keys, "", durable("forget", name))
        .thenApply("1"::equals);
  }

  private static List<byte[]> durable(String what, String name) {
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(bytes(what));
    arguments.add(bytes(name));
    return arguments;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
