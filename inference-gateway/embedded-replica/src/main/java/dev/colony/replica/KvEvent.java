package dev.colony.replica;

import dev.colony.replica.KvEventSettings.Encoding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.List;
import java.util.OptionalLong;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;

/** A change of the KV cache, in the form that vLLM publishes. */
sealed interface KvEvent {

  /**
   * Blocks were filled, each the next one's parent.
   *
   * @param parent the block before the first; empty at the start of a prompt
   * @param salt in the hash of a prompt's first block; empty for none
   */
  record BlockStored(long[] hashes, OptionalLong parent, int[] tokens, int blockTokens, String salt)
      implements KvEvent {}

  /** A block lost its content. */
  record BlockRemoved(long hash) implements KvEvent {}

  /** All blocks lost their content. */
  record AllBlocksCleared() implements KvEvent {}

  /** vLLM's word for the memory that the blocks stand in. */
  String MEDIUM = "GPU";

  /**
   * A batch of events as msgpack: its time, the events, and the rank of the engine.
   *
   * @param seconds since the epoch
   */
  static byte[] pack(double seconds, List<KvEvent> events, Encoding encoding) {
    try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
      Fields batch = new Fields(packer, encoding);
      batch.open(3);
      batch.name("ts").packDouble(seconds);
      batch.name("events").packArrayHeader(events.size());
      for (KvEvent event : events) {
        event(new Fields(packer, encoding), event);
      }
      batch.name("data_parallel_rank").packInt(0);
      return packer.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot fail to be written", e);
    }
  }

  private static void event(Fields fields, KvEvent event) throws IOException {
    boolean map = fields.encoding() == Encoding.MAP;
    switch (event) {
      case BlockStored stored -> {
        fields.open(map ? 11 : 9);
        fields.name("type").packString("BlockStored");
        hashes(fields.name("block_hashes"), stored.hashes());
        MessagePacker parent = fields.name("parent_block_hash");
        if (stored.parent().isPresent()) {
          hash(parent, stored.parent().getAsLong());
        } else {
          parent.packNil();
        }
        MessagePacker tokens = fields.name("token_ids").packArrayHeader(stored.tokens().length);
        for (int token : stored.tokens()) {
          tokens.packInt(token);
        }
        fields.name("block_size").packInt(stored.blockTokens());
        fields.name("lora_id").packNil();
        fields.name("medium").packString(MEDIUM);
        fields.name("lora_name").packNil();
        extraKeys(fields.name("extra_keys"), stored);
        if (map) {
          fields.name("group_idx").packInt(0);
          fields.name("kv_cache_spec_kind").packString("full_attention");
        }
      }
      case BlockRemoved removed -> {
        fields.open(map ? 4 : 3);
        fields.name("type").packString("BlockRemoved");
        hashes(fields.name("block_hashes"), new long[] {removed.hash()});
        fields.name("medium").packString(MEDIUM);
        if (map) {
          fields.name("group_idx").packInt(0);
        }
      }
      case AllBlocksCleared cleared -> {
        fields.open(1);
        fields.name("type").packString("AllBlocksCleared");
      }
    }
  }

  /** The salt, with the block that has it in its hash; nil with the others. */
  private static void extraKeys(MessagePacker packer, BlockStored stored) throws IOException {
    packer.packArrayHeader(stored.hashes().length);
    for (int i = 0; i < stored.hashes().length; i++) {
      if (i == 0 && stored.parent().isEmpty() && !stored.salt().isEmpty()) {
        packer.packArrayHeader(1).packString(stored.salt());
      } else {
        packer.packNil();
      }
    }
  }

  private static void hashes(MessagePacker packer, long[] hashes) throws IOException {
    packer.packArrayHeader(hashes.length);
    for (long hash : hashes) {
      hash(packer, hash);
    }
  }

  /** 64 bits without a sign. */
  private static void hash(MessagePacker packer, long hash) throws IOException {
    if (hash >= 0) {
      packer.packLong(hash);
    } else {
      packer.packBigInteger(new BigInteger(Long.toUnsignedString(hash)));
    }
  }

  /** The fields of an object, by their names or by their order alone. */
  record Fields(MessagePacker packer, Encoding encoding) {

    void open(int fields) throws IOException {
      if (encoding == Encoding.MAP) {
        packer.packMapHeader(fields);
      } else {
        packer.packArrayHeader(fields);
      }
    }

    MessagePacker name(String name) throws IOException {
      return encoding == Encoding.MAP ? packer.packString(name) : packer;
    }
  }
}
