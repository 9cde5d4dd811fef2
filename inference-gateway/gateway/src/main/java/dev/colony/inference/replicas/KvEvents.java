package dev.colony.inference.replicas;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;

/**
 * What an engine says happened in its KV cache, as vLLM packs it: a batch is an array {@code [ts,
 * events, rank]} or a map with these names, an event an array that begins with its type, or a map
 * that has it under {@code type}. Which of the two depends on the version of vLLM; fields that are
 * not known are passed over. A block's hash is a number or bytes.
 */
public final class KvEvents {

  /** One thing that happened. */
  public sealed interface KvEvent {

    /**
     * Blocks were stored, each one the next of the one before it.
     *
     * @param parent the block before the first; empty where that is a prompt's first
     * @param blockTokens tokens of a block
     */
    record Stored(List<Long> blocks, OptionalLong parent, int blockTokens) implements KvEvent {}

    /** Blocks were evicted. */
    record Removed(List<Long> blocks) implements KvEvent {}

    /** The whole cache was emptied. */
    record Cleared() implements KvEvent {}

    /** Events were missed: what is not said again from here on is not known. */
    record Missed() implements KvEvent {}
  }

  /** Of a batch, in bytes, so that a mangled one does not take all memory. */
  private static final int LARGEST = 64 << 20;

  /** How deep what is in a batch may stand: events in it, lists in those, and some to spare. */
  private static final int DEEPEST = 16;

  private static final String GPU = "GPU";

  /** Kinds of layers that look at a whole prompt; a model may have others beside them. */
  private static final Set<String> WHOLE =
      Set.of("full_attention", "mla_attention", "sink_full_attention", "unknown");

  private KvEvents() {}

  /**
   * Reads a batch: its events in order, without those of types that are not known, those of caches
   * other than the engine's own memory, and those of layers that see a window of the prompt only: a
   * prefix is resident where the layers are that see it all.
   *
   * @param windows groups of the latter, as an event that stores names them; those of this batch
   *     are added
   * @throws IOException if it is no batch
   */
  static List<KvEvent> read(byte[] batch, Set<Long> windows) throws IOException {
    if (batch.length > LARGEST) {
      throw new IOException("a batch of " + batch.length + " bytes");
    }
    try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(batch)) {
      Object value = value(unpacker, batch.length, DEEPEST);
      List<KvEvent> read = new ArrayList<>();
      for (Object event : list(field(value, "events", 1))) {
        read(event, windows, read);
      }
      return read;
    } catch (MessagePackException bad) {
      throw new IOException("not a batch of events: " + bad, bad);
    }
  }

  private static void read(Object event, Set<Long> windows, List<KvEvent> into) throws IOException {
    if (!(field(event, "type", 0) instanceof String type)) {
      throw new IOException("an event without a type");
    }
    switch (type) {
      case "BlockStored" -> {
        Object parent = field(event, "parent_block_hash", 2);
        Object group = field(event, "group_idx", 9);
        boolean whole =
            !(field(event, "kv_cache_spec_kind", 10) instanceof String kind)
                || WHOLE.contains(kind);
        if (!whole && group instanceof Long number) {
          windows.add(number);
        }
        if (whole && own(field(event, "medium", 6))) {
          into.add(
              new KvEvent.Stored(
                  hashes(field(event, "block_hashes", 1)),
                  parent == null ? OptionalLong.empty() : OptionalLong.of(hash(parent)),
                  blockTokens(field(event, "block_size", 4))));
        }
      }
      case "BlockRemoved" -> {
        boolean window =
            field(event, "group_idx", 3) instanceof Long group && windows.contains(group);
        if (!window && own(field(event, "medium", 2))) {
          into.add(new KvEvent.Removed(hashes(field(event, "block_hashes", 1))));
        }
      }
      case "AllBlocksCleared" -> into.add(new KvEvent.Cleared());
      default -> {
        // of a later version
      }
    }
  }

  /** What stands under a name in a map, or at a place in an array; null where it is left out. */
  private static Object field(Object value, String name, int at) throws IOException {
    return switch (value) {
      case Map<?, ?> map -> map.get(name);
      case List<?> list -> at < list.size() ? list.get(at) : null;
      case null, default -> throw new IOException("neither an array nor a map");
    };
  }

  private static List<?> list(Object value) throws IOException {
    if (value instanceof List<?> list) {
      return list;
    }
    throw new IOException("not a list");
  }

  /** Blocks that were moved to other memory have to be loaded before they serve. */
  private static boolean own(Object medium) {
    return !(medium instanceof String text) || text.equals(GPU);
  }

  private static int blockTokens(Object value) throws IOException {
    if (value instanceof Long size && size > 0 && size <= LARGEST) {
      return size.intValue();
    }
    throw new IOException("blocks of " + value + " tokens");
  }

  private static List<Long> hashes(Object values) throws IOException {
    List<Long> hashes = new ArrayList<>();
    for (Object value : list(values)) {
      hashes.add(hash(value));
    }
    return hashes;
  }

  /** Numbers as they are; of bytes, which are a digest, the first eight. */
  private static long hash(Object value) throws IOException {
    return switch (value) {
      case Long number -> number;
      case byte[] bytes -> {
        long hash = 0;
        for (int i = 0; i < Math.min(8, bytes.length); i++) {
          hash = hash << 8 | bytes[i] & 0xff;
        }
        yield hash;
      }
      case null, default -> throw new IOException("not a hash");
    };
  }

  /**
   * The next value, by what is left of the batch: a header may promise more than there is memory
   * for. Numbers are cut to 64 bits; what is none of lists, maps, texts, bytes and whole numbers is
   * null.
   */
  private static Object value(MessageUnpacker unpacker, int size, int depth) throws IOException {
    if (depth == 0) {
      throw new IOException("too deep");
    }
    int left = size - (int) unpacker.getTotalReadBytes();
    switch (unpacker.getNextFormat().getValueType()) {
      case ARRAY -> {
        int items = within(unpacker.unpackArrayHeader(), left);
        List<Object> list = new ArrayList<>(items);
        for (int i = 0; i < items; i++) {
          list.add(value(unpacker, size, depth - 1));
        }
        return list;
      }
      case MAP -> {
        int items = within(unpacker.unpackMapHeader(), left);
        Map<Object, Object> map = new HashMap<>();
        for (int i = 0; i < items; i++) {
          Object key = value(unpacker, size, depth - 1);
          map.put(key, value(unpacker, size, depth - 1));
        }
        return map;
      }
      case STRING -> {
        return new String(
            unpacker.readPayload(within(unpacker.unpackRawStringHeader(), left)),
            StandardCharsets.UTF_8);
      }
      case BINARY -> {
        return unpacker.readPayload(within(unpacker.unpackBinaryHeader(), left));
      }
      case INTEGER -> {
        return unpacker.getNextFormat() == MessageFormat.UINT64
            ? unpacker.unpackBigInteger().longValue()
            : unpacker.unpackLong();
      }
      default -> {
        unpacker.skipValue();
        return null;
      }
    }
  }

  private static int within(int items, int left) throws IOException {
    if (items < 0 || items > left) {
      throw new IOException("promises " + items + " where " + left + " bytes are left");
    }
    return items;
  }
}
