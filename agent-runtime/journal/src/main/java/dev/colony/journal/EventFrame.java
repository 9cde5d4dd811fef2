package dev.colony.journal;

import dev.colony.blackboard.payload.PayloadVault.Stub;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What one entry of a log holds: an event in its serialized form, the marker of one that was
 * rejected, or the stub of a frame that lies outside Redis. The layout of the bytes is in the
 * package's description.
 */
public sealed interface EventFrame {

  /** The layout written by this version. */
  byte VERSION = 1;

  String writer();

  long timestampMillis();

  /** An event as its serializer wrote it; {@code adapterManifest} is the event adapter's. */
  record Event(
      String writer,
      long timestampMillis,
      int serializer,
      String manifest,
      String adapterManifest,
      byte[] payload)
      implements EventFrame {

    @Override
    public boolean equals(Object other) {
      return other instanceof Event that && Arrays.equals(encode(), that.encode());
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(encode());
    }
  }

  /** Stands in the place of a rejected event, so that the next one still continues at last + 1. */
  record Gap(String writer, long timestampMillis, String reason) implements EventFrame {}

  /** Stands in Redis for a frame that lies outside, as a payload. */
  record Outside(String writer, long timestampMillis, Stub payload) implements EventFrame {}

  /** Whether the bytes of a frame are those of one that lies outside. */
  static boolean isOutside(byte[] frame) {
    return frame.length > 1 && frame[0] == VERSION && frame[1] == 'o';
  }

  default byte[] encode() {
    byte[] writer = utf8(writer());
    return switch (this) {
      case Event event -> {
        byte[] manifest = utf8(event.manifest());
        byte[] adapter = utf8(event.adapterManifest());
        int size = 1 + 1 + 8 + 2 + writer.length + 4 + 2 + manifest.length + 2 + adapter.length;
        ByteBuffer bytes = ByteBuffer.allocate(size + event.payload().length);
        bytes.put(VERSION).put((byte) 'e').putLong(timestampMillis());
        putText(bytes, writer);
        bytes.putInt(event.serializer());
        putText(bytes, manifest);
        putText(bytes, adapter);
        yield bytes.put(event.payload()).array();
      }
      case Gap gap -> {
        byte[] reason = utf8(gap.reason());
        ByteBuffer bytes = ByteBuffer.allocate(1 + 1 + 8 + 2 + writer.length + 2 + reason.length);
        bytes.put(VERSION).put((byte) 'g').putLong(timestampMillis());
        putText(bytes, writer);
        putText(bytes, reason);
        yield bytes.array();
      }
      case Outside outside -> {
        byte[] sha256 = utf8(outside.payload().sha256());
        int size = 1 + 1 + 8 + 2 + writer.length + 4 + 2 + sha256.length;
        ByteBuffer bytes = ByteBuffer.allocate(size);
        bytes.put(VERSION).put((byte) 'o').putLong(timestampMillis());
        putText(bytes, writer);
        bytes.putInt(outside.payload().length());
        putText(bytes, sha256);
        yield bytes.array();
      }
    };
  }

  /**
   * Reads a stored entry.
   *
   * @throws IllegalArgumentException if the bytes are of no layout this version knows
   */
  static EventFrame decode(byte[] stored) {
    ByteBuffer bytes = ByteBuffer.wrap(stored);
    try {
      byte version = bytes.get();
      if (version != VERSION) {
        throw new IllegalArgumentException("frame version " + version + ", known is " + VERSION);
      }
      byte kind = bytes.get();
      long timestamp = bytes.getLong();
      String writer = getText(bytes);
      return switch (kind) {
        case 'e' -> {
          int serializer = bytes.getInt();
          String manifest = getText(bytes);
          String adapter = getText(bytes);
          byte[] payload = new byte[bytes.remaining()];
          bytes.get(payload);
          yield new Event(writer, timestamp, serializer, manifest, adapter, payload);
        }
        case 'g' -> new Gap(writer, timestamp, getText(bytes));
        case 'o' -> new Outside(writer, timestamp, new Stub(bytes.getInt(), getText(bytes)));
        default -> throw new IllegalArgumentException("frame kind " + kind);
      };
    } catch (BufferUnderflowException cut) {
      throw new IllegalArgumentException("frame cut short at " + stored.length + " bytes", cut);
    }
  }

  private static byte[] utf8(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0xFFFF) {
      throw new IllegalArgumentException("text of " + bytes.length + " bytes, at most 65535");
    }
    return bytes;
  }

  private static void putText(ByteBuffer into, byte[] text) {
    into.putShort((short) text.length).put(text);
  }

  private static String getText(ByteBuffer from) {
    byte[] text = new byte[Short.toUnsignedInt(from.getShort())];
    from.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
