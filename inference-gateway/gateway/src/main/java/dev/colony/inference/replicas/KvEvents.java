package dev.colony.inference.replicas;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * not known are passed over. A block's hash is a number or bytes; it covers the LoRA and the extra
 * keys, such as a salt. Blocks of one hash in two data-parallel ranks are two blocks.
 *
 * <p>An engine with several groups of layers tells of each. A block is resident when that of the
 * full attention is: one of a window leaves the cache as the window goes on, and one prompt's
 * blocks would count several times.
 */
public final class KvEvents {

  /** One thing that happened. */
  public sealed interface KvEvent {

    /**
     * Blocks were stored, each one the next of the one before it.
     *
     * @param parent the block before the first; empty where that is a prompt's first
     * @param blockTokens tokens of a block
     * @param session that of the call which stored them, or found them stored; empty for none
     */
    record Stored(List<Long> blocks, OptionalLong parent, int blockTokens, Optional<String> session)
        implements KvEvent {

      /** Of no session. */
      public Stored(List<Long> blocks, OptionalLong parent, int blockTokens) {
        this(blocks, parent, blockTokens, Optional.empty());
      }
    }

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

  /** Keeps the hashes of ranks apart; odd, so that no two ranks are one. */
  private static final long RANKS = 0x9E3779B97F4A7C15L;

  private static final String GPU = "GPU";

  /** Kinds of groups whose blocks do not hold all of a prompt, by vLLM's names. */
  private static final Set<String> PARTIAL =
      Set.of(
          "sliding_window",
          "sliding_window_mla",
          "chunked_local_attention",
          "mamba",
          "encoder_only_attention",
          "cross_attention");

  /** Which group of an engine is followed: the first of full attention that it tells of. */
  static final class FullGroup {
    private OptionalLong group = OptionalLong.empty();

    private boolean stores(Object told, Object kind) {
      if (kind instanceof String name && PARTIAL.contains(name)) {
        return false;
      }
      if (group.isEmpty() && told instanceof Long first) {
        group = OptionalLong.of(first);
      }
      return removes(told);
    }

    private boolean removes(Object told) {
      return !(told instanceof Long one) || group.isPresent() && group.getAsLong() == one;
    }
  }

  private KvEvents() {}

  /**
   * Reads a batch: its events in order, without those of types that are not known and those of
   * caches other than the engine's own memory.
   *
   * @throws IOException if it is no batch
   */
  public static List<KvEvent> read(byte[] batch) throws IOException {
    return read(batch, new FullGroup());
  }

  /** The same of the engine whose group is given, which is learned from what is read. */
  static List<KvEvent> read(byte[] batch, FullGroup group) throws IOException {
    if (batch.length > LARGEST) {
      throw new IOException("a batch of " + batch.length + " bytes");
    }
    try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(batch)) {
      Object value = value(unpacker, batch.length, DEEPEST);
      List<KvEvent> read = new ArrayList<>();
      long rank = field(value, "data_parallel_rank", 2) instanceof Long one ? one : 0;
      for (Object event : list(field(value, "events", 1))) {
        read(event, rank, group, read);
      }
      return read;
    } catch (MessagePackException bad) {
      throw new IOException("not a batch of events: " + bad, bad);
    }
  }

  private static void read(Object event, long rank, FullGroup group, List<KvEvent> into)
      throws IOException {
    if (!(field(event, "type", 0) instanceof String type)) {
      throw new IOException("an event without a type");
    }
    switch (type) {
      case "BlockStored" -> {
        Object parent = field(event, "parent_block_hash", 2);
        if (own(field(event, "medium", 6), field(event, "locality", 12))
            && group.stores(field(event, "group_idx", 9), field(event, "kv_cache_spec_kind", 10))) {
          into.add(
              new KvEvent.Stored(
                  hashes(field(event, "block_hashes", 1), rank),
                  parent == null ? OptionalLong.empty() : OptionalLong.of(hash(parent, rank)),
                  blockTokens(field(event, "block_size", 4)),
                  field(event, "session_id", 14) instanceof String session
                      ? Optional.of(session)
                      : Optional.empty()));
        }
      }
      case "BlockRemoved" -> {
        if (own(field(event, "medium", 2), field(event, "locality", 4))
            && group.removes(field(event, "group_idx", 3))) {
          into.add(new KvEvent.Removed(hashes(field(event, "block_hashes", 1), rank)));
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
  private static boolean own(Object medium, Object locality) {
    return (!(medium instanceof String text) || text.equals(GPU)) && !"REMOTE".equals(locality);
  }

  private static int blockTokens(Object value) throws IOException {
    if (value instanceof Long size && size > 0 && size <= LARGEST) {
      return size.intValue();
    }
    throw new IOException("blocks of " + value + " tokens");
  }

  private static List<Long> hashes(Object values, long rank) throws IOException {
    List<Long> hashes = new ArrayList<>();
    for (Object value : list(values)) {
      hashes.add(hash(value, rank));
    }
    return hashes;
  }

  /** Numbers as they are; of bytes, which are a digest, the first eight; those of a rank apart. */
  private static long hash(Object value, long rank) throws IOException {
    return hash(value) ^ rank * RANKS;
  }

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
