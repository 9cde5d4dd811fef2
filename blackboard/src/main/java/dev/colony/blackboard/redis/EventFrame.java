package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.feed.LoggedEvent;
import dev.colony.blackboard.value.ValueCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/**
 * An event as {@code scope.lua} frames it. The head is read at once, on the connection's thread;
 * the value is parsed only where a subscriber wants it, on the subscriber's.
 */
final class EventFrame implements LoggedEvent {

  private static final int NUMBERS = 7;

  private final Scope scope;
  private final ValueCodec codec;
  private final Position position;
  private final Position previous;
  private final byte[] bytes;

  /** Millis, version, then the lengths of key, writer, tags and value. */
  private final long[] numbers = new long[NUMBERS - 1];

  private final int body;
  private final String key;

  private EventFrame(Scope scope, ValueCodec codec, Position position, byte[] bytes, int from) {
    this.scope = scope;
    this.codec = codec;
    this.position = position;
    this.bytes = bytes;
    int end = lineEnd(bytes, from);
    String[] head = ascii(bytes, from, end).split(" ", -1);
    if (head.length != NUMBERS) {
      throw new IllegalStateException("not an event: " + String.join(" ", head));
    }
    this.previous = Position.parse(head[0]);
    for (int i = 1; i < NUMBERS; i++) {
      numbers[i - 1] = Long.parseLong(head[i]);
    }
    this.body = end + 1;
    this.key = new String(bytes, body, (int) numbers[2], StandardCharsets.UTF_8);
  }

  static EventFrame stored(Scope scope, ValueCodec codec, String id, byte[] bytes) {
    return new EventFrame(scope, codec, Position.parse(id), bytes, 0);
  }

  /** A push is the position, a line feed and the frame. */
  static EventFrame pushed(Scope scope, ValueCodec codec, byte[] bytes) {
    int end = lineEnd(bytes, 0);
    return new EventFrame(scope, codec, Position.parse(ascii(bytes, 0, end)), bytes, end + 1);
  }

  @Override
  public Position position() {
    return position;
  }

  @Override
  public Position previous() {
    return previous;
  }

  @Override
  public EventType type() {
    return numbers[5] < 0 ? EventType.DELETED : EventType.WRITTEN;
  }

  @Override
  public Optional<String> key() {
    return Optional.of(key);
  }

  @Override
  public String writer() {
    return event().writer();
  }

  @Override
  public Set<String> tags() {
    return Set.of();
  }

  @Override
  public int bytes() {
    return bytes.length;
  }

  @Override
  public BlackboardEvent event() {
    Instant at = Instant.ofEpochMilli(numbers[0]);
    long version = numbers[1];
    int writerAt = body + (int) numbers[2];
    int tagsAt = writerAt + (int) numbers[3];
    int valueAt = tagsAt + (int) numbers[4];
    String writer = new String(bytes, writerAt, (int) numbers[3], StandardCharsets.UTF_8);
    if (numbers[5] < 0) {
      return new BlackboardEvent.Deleted(
          scope, key, position, at, writer, version, java.util.Set.of(), false);
    }
    return new BlackboardEvent.Written(
        scope,
        key,
        position,
        at,
        writer,
        codec.value(Arrays.copyOfRange(bytes, valueAt, valueAt + (int) numbers[5])),
        version - 1,
        version,
        codec.tags(Arrays.copyOfRange(bytes, tagsAt, valueAt)));
  }

  private static int lineEnd(byte[] bytes, int from) {
    int end = from;
    while (end < bytes.length && bytes[end] != '\n') {
      end++;
    }
    return end;
  }

  private static String ascii(byte[] bytes, int from, int end) {
    return new String(bytes, from, end - from, StandardCharsets.US_ASCII);
  }
}
