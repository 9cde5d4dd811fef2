package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import dev.colony.blackboard.value.ValueCodec;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * An event as {@code frame.lua} describes it; that of a write is an entry too. Its line of numbers
 * is read at once, on the connection's thread; texts are read where they are asked for, and the
 * value is parsed only where a subscriber wants it, on the subscriber's.
 */
final class Frame implements LoggedEvent {

  private static final int FIELDS = 13;

  private final Scope scope;
  private final ValueCodec codec;
  private final byte[] bytes;
  private final Position position;
  private final Position previous;
  private final long millis;
  private final long oldVersion;
  private final long version;
  private final long expires;
  private final long created;

  /** Where creator, tags, writer, key, metadata and value begin, and the end. */
  private final int[] begins = new int[7];

  Frame(Scope scope, ValueCodec codec, byte[] bytes) {
    this.scope = scope;
    this.codec = codec;
    this.bytes = bytes;
    int end = 0;
    while (end < bytes.length && bytes[end] != '\n') {
      end++;
    }
    String line = new String(bytes, 0, end, US_ASCII);
    String[] fields = line.split(" ", -1);
    if (fields.length != FIELDS) {
      throw new IllegalStateException("not an event: " + line);
    }
    this.position = Position.parse(fields[1]);
    this.previous = Position.parse(fields[2]);
    this.millis = Long.parseLong(fields[3]);
    this.oldVersion = Long.parseLong(fields[4]);
    this.version = Long.parseLong(fields[5]);
    this.expires = Long.parseLong(fields[6]);
    this.created = Long.parseLong(fields[7]);
    begins[0] = end + 1;
    for (int text = 0; text < 5; text++) {
      begins[text + 1] = begins[text] + Integer.parseInt(fields[8 + text]);
    }
    begins[6] = bytes.length;
  }

  /**
   * What of a write's frame does not depend on what is stored: the sizes of tags, writer, key and
   * metadata, and in another array these texts and the value.
   */
  static byte[][] parts(
      Set<String> tags, String writer, String key, byte[] metadata, byte[] value) {
    byte[] joined = joined(tags);
    byte[] who = writer.getBytes(UTF_8);
    byte[] what = key.getBytes(UTF_8);
    String sizes = joined.length + " " + who.length + " " + what.length + " " + metadata.length;
    ByteArrayOutputStream texts =
        new ByteArrayOutputStream(
            joined.length + who.length + what.length + metadata.length + value.length);
    texts.writeBytes(joined);
    texts.writeBytes(who);
    texts.writeBytes(what);
    texts.writeBytes(metadata);
    texts.writeBytes(value);
    return new byte[][] {sizes.getBytes(US_ASCII), texts.toByteArray()};
  }

  Scope scope() {
    return scope;
  }

  /** Whether this is a write whose value lies outside, see {@link BoardPayloads}. */
  boolean outside() {
    return begins[5] < begins[6] && bytes[begins[5]] == BoardPayloads.MARK;
  }

  /** The value as it stands here. */
  byte[] value() {
    return part(5);
  }

  /** The same with another value. */
  Frame withValue(byte[] value) {
    byte[] whole = Arrays.copyOf(bytes, begins[5] + value.length);
    System.arraycopy(value, 0, whole, begins[5], value.length);
    return new Frame(scope, codec, whole);
  }

  /** No tag holds a line feed. */
  static byte[] joined(Set<String> tags) {
    return String.join("\n", new TreeSet<>(tags)).getBytes(UTF_8);
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
    return switch (bytes[0]) {
      case 'W' -> EventType.WRITTEN;
      case 'D', 'V' -> EventType.DELETED;
      case 'E' -> EventType.EXPIRED;
      case 'C' -> EventType.CLEARED;
      default -> throw new IllegalStateException("not a type of event: " + (char) bytes[0]);
    };
  }

  @Override
  public Optional<String> key() {
    return bytes[0] == 'C' ? Optional.empty() : Optional.of(text(3));
  }

  @Override
  public String writer() {
    return text(2);
  }

  @Override
  public Set<String> tags() {
    return begins[1] == begins[2] ? Set.of() : Set.of(text(1).split("\n"));
  }

  @Override
  public int bytes() {
    return bytes.length;
  }

  @Override
  public BlackboardEvent event() {
    Instant at = Instant.ofEpochMilli(millis);
    return switch (type()) {
      case WRITTEN ->
          new BlackboardEvent.Written(
              scope,
              text(3),
              position,
              at,
              writer(),
              codec.value(part(5)),
              oldVersion,
              version,
              tags());
      case DELETED ->
          new BlackboardEvent.Deleted(
              scope, text(3), position, at, writer(), oldVersion, tags(), bytes[0] == 'V');
      case EXPIRED ->
          new BlackboardEvent.Expired(scope, text(3), position, at, writer(), oldVersion, tags());
      case CLEARED -> new BlackboardEvent.Cleared(scope, position, at, writer(), oldVersion);
    };
  }

  /** The entry that this frame of a write is. */
  Entry entry() {
    return new Entry(
        text(3),
        codec.value(part(5)),
        version,
        position,
        Instant.ofEpochMilli(created),
        text(0),
        Instant.ofEpochMilli(millis),
        writer(),
        tags(),
        codec.metadata(part(4)),
        expires == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(expires)));
  }

  private String text(int which) {
    return new String(bytes, begins[which], begins[which + 1] - begins[which], UTF_8);
  }

  private byte[] part(int which) {
    return Arrays.copyOfRange(bytes, begins[which], begins[which + 1]);
  }
}
