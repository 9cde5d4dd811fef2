package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

/** Events as vLLM packs them, in both of its ways. */
class KvEventsTest {

  /** Packs lists, maps (a list that begins with the sign), texts, numbers, bytes and null. */
  static byte[] packed(Object value) throws IOException {
    try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
      pack(packer, value);
      return packer.toByteArray();
    }
  }

  record Names(Object... pairs) {}

  private static void pack(MessageBufferPacker packer, Object value) throws IOException {
    switch (value) {
      case null -> packer.packNil();
      case String text -> packer.packString(text);
      case Integer number -> packer.packInt(number);
      case Long number -> packer.packLong(number);
      case Double number -> packer.packDouble(number);
      case byte[] bytes -> packer.packBinaryHeader(bytes.length).writePayload(bytes);
      case java.math.BigInteger number -> packer.packBigInteger(number);
      case Names names -> {
        packer.packMapHeader(names.pairs().length / 2);
        for (Object one : names.pairs()) {
          pack(packer, one);
        }
      }
      case List<?> list -> {
        packer.packArrayHeader(list.size());
        for (Object one : list) {
          pack(packer, one);
        }
      }
      default -> throw new IllegalArgumentException(value.toString());
    }
  }

  static List<Object> list(Object... values) {
    return Arrays.asList(values);
  }

  @Test
  void eventsAsArrays() throws Exception {
    byte[] batch =
        packed(
            list(
                1.5,
                list(
                    list("BlockStored", list(11, 12L), null, list(1, 2, 3, 4), 2, null, "GPU"),
                    list("BlockStored", list(-13L), 12, list(5, 6), 2, null),
                    list("BlockRemoved", list(12), "GPU"),
                    list("BlockRemoved", list(11)),
                    list("AllBlocksCleared")),
                0));
    assertThat(KvEvents.read(batch, new HashSet<>()))
        .containsExactly(
            new KvEvent.Stored(List.of(11L, 12L), OptionalLong.empty(), 2),
            new KvEvent.Stored(List.of(-13L), OptionalLong.of(12), 2),
            new KvEvent.Removed(List.of(12L)),
            new KvEvent.Removed(List.of(11L)),
            new KvEvent.Cleared());
  }

  /** Of a model with a group of full and one of windowed layers, as vLLM 0.32 tells of it. */
  @Test
  void blockIsResidentWhereTheLayersAreThatSeeTheWholePrompt() throws Exception {
    Set<Long> windows = new HashSet<>();
    byte[] stored =
        packed(list(1.5, list(stored(0, "full_attention"), stored(1, "sliding_window")), 0));
    assertThat(KvEvents.read(stored, windows))
        .containsExactly(new KvEvent.Stored(List.of(11L), OptionalLong.empty(), 16));
    assertThat(KvEvents.read(packed(list(1.5, list(removed(1)), 0)), windows)).isEmpty();
    assertThat(KvEvents.read(packed(list(1.5, list(removed(0)), 0)), windows))
        .containsExactly(new KvEvent.Removed(List.of(11L)));
  }

  private static Names stored(int group, String kind) {
    return new Names(
        "type",
        "BlockStored",
        "block_hashes",
        list(11L),
        "parent_block_hash",
        null,
        "token_ids",
        list(1, 2),
        "block_size",
        16,
        "lora_id",
        null,
        "medium",
        "GPU",
        "lora_name",
        null,
        "extra_keys",
        list((Object) null),
        "group_idx",
        group,
        "kv_cache_spec_kind",
        kind);
  }

  private static Names removed(int group) {
    return new Names(
        "type", "BlockRemoved", "block_hashes", list(11L), "medium", "GPU", "group_idx", group);
  }

  @Test
  void eventsAsMapsWithHashesAsBytesAndFieldsOfLaterVersions() throws Exception {
    byte[] digest = {0, 0, 0, 0, 0, 0, 1, 2, 99, 99, 99};
    byte[] batch =
        packed(
            new Names(
                "ts",
                1.5,
                "events",
                list(
                    new Names(
                        "type",
                        "BlockStored",
                        "block_hashes",
                        list(digest),
                        "parent_block_hash",
                        null,
                        "token_ids",
                        list(1, 2),
                        "block_size",
                        16,
                        "lora_id",
                        null,
                        "medium",
                        "GPU",
                        "group_idx",
                        0),
                    new Names("type", "BlockRemoved", "block_hashes", list(digest)),
                    new Names("type", "AllBlocksCleared"),
                    new Names("type", "BlockDreamtOf"))));
    assertThat(KvEvents.read(batch, new HashSet<>()))
        .containsExactly(
            new KvEvent.Stored(List.of(258L), OptionalLong.empty(), 16),
            new KvEvent.Removed(List.of(258L)),
            new KvEvent.Cleared());
  }

  @Test
  void hashesOfSixtyFourBitsWithoutASign() throws Exception {
    byte[] batch =
        packed(
            list(
                1.0,
                list(
                    list("BlockRemoved", list(new java.math.BigInteger("18446744073709551615"))))));
    assertThat(KvEvents.read(batch, new HashSet<>()))
        .containsExactly(new KvEvent.Removed(List.of(-1L)));
  }

  @Test
  void blocksInOtherMemoryDoNotCount() throws Exception {
    byte[] batch =
        packed(
            list(
                1.0,
                list(
                    list("BlockStored", list(1), null, list(1), 1, null, "CPU"),
                    list("BlockRemoved", list(2), "CPU"))));
    assertThat(KvEvents.read(batch, new HashSet<>())).isEmpty();
  }

  @Test
  void whatIsNoBatchIsRefusedAndNeverAnythingElse() throws Exception {
    for (Object bad :
        list(
            1,
            "x",
            list(),
            list(1.0),
            list(1.0, "x"),
            list(1.0, list("x")),
            list(1.0, list(list(7))),
            list(1.0, list(list("BlockStored", "x", null, null, 16))),
            list(1.0, list(list("BlockStored", list(1), null, null, "x"))),
            new Names("ts", 1.0))) {
      byte[] batch = packed(bad);
      assertThatThrownBy(() -> KvEvents.read(batch, new HashSet<>()))
          .isInstanceOf(IOException.class);
    }
    // an array of two thousand million items
    byte[] promise = {(byte) 0xdd, 0x7f, -1, -1, -1};
    assertThatThrownBy(() -> KvEvents.read(promise, new HashSet<>()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("promises");
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      byte[] noise = new byte[random.nextInt(40)];
      random.nextBytes(noise);
      try {
        KvEvents.read(noise, new HashSet<>());
      } catch (IOException refused) {
        assertThat(refused).hasMessageContaining("");
      }
    }
  }
}
