package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
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
    assertThat(KvEvents.read(batch))
        .containsExactly(
            new KvEvent.Stored(List.of(11L, 12L), OptionalLong.empty(), 2),
            new KvEvent.Stored(List.of(-13L), OptionalLong.of(12), 2),
            new KvEvent.Removed(List.of(12L)),
            new KvEvent.Removed(List.of(11L)),
            new KvEvent.Cleared());
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
    assertThat(KvEvents.read(batch))
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
    assertThat(KvEvents.read(batch)).containsExactly(new KvEvent.Removed(List.of(-1L)));
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
    assertThat(KvEvents.read(batch)).isEmpty();
  }

  /** As vLLM 0.32 packs it: events are maps, fields without a value are left out. */
  private static Names stored(long block, Long parent, int group, String kind, String session) {
    return new Names(
        "type",
        "BlockStored",
        "block_hashes",
        list(block),
        "parent_block_hash",
        parent,
        "token_ids",
        list(1, 9690),
        "block_size",
        128,
        "lora_id",
        null,
        "medium",
        "GPU",
        "lora_name",
        null,
        "extra_keys",
        list(list("pepper")),
        "group_idx",
        group,
        "kv_cache_spec_kind",
        kind,
        "session_id",
        session);
  }

  @Test
  void aBlockIsResidentWhenThatOfTheFullAttentionIs() throws Exception {
    KvEvents.FullGroup group = new KvEvents.FullGroup();
    Names window = new Names("type", "BlockRemoved", "block_hashes", list(7L), "group_idx", 0);
    Names full = new Names("type", "BlockRemoved", "block_hashes", list(7L), "group_idx", 1);
    byte[] batch =
        packed(
            list(
                1.0,
                list(
                    stored(7L, null, 0, "sliding_window", "s-1"),
                    stored(7L, null, 1, "full_attention", "s-1"),
                    stored(7L, null, 2, "full_attention", "s-1"),
                    window),
                0));
    assertThat(KvEvents.read(batch, group))
        .containsExactly(
            new KvEvent.Stored(List.of(7L), OptionalLong.empty(), 128, Optional.of("s-1")));
    assertThat(KvEvents.read(packed(list(1.0, list(window, full), 0)), group))
        .containsExactly(new KvEvent.Removed(List.of(7L)));
  }

  @Test
  void blocksOfTwoRanksAreTwoBlocks() throws Exception {
    List<Object> events = list(stored(8L, 7L, 0, "full_attention", null));
    KvEvent.Stored first = (KvEvent.Stored) KvEvents.read(packed(list(1.0, events, 0))).getFirst();
    KvEvent.Stored second = (KvEvent.Stored) KvEvents.read(packed(list(1.0, events, 1))).getFirst();
    assertThat(first.blocks()).containsExactly(8L).isNotEqualTo(second.blocks());
    assertThat(first.parent()).hasValue(7).isNotEqualTo(second.parent());
  }

  @Test
  void blocksInTheMemoryOfAnotherHostDoNotCount() throws Exception {
    Names remote =
        new Names("type", "BlockRemoved", "block_hashes", list(7L), "locality", "REMOTE");
    assertThat(KvEvents.read(packed(list(1.0, list(remote), 0)))).isEmpty();
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
      assertThatThrownBy(() -> KvEvents.read(batch)).isInstanceOf(IOException.class);
    }
    // an array of two thousand million items
    byte[] promise = {(byte) 0xdd, 0x7f, -1, -1, -1};
    assertThatThrownBy(() -> KvEvents.read(promise))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("promises");
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      byte[] noise = new byte[random.nextInt(40)];
      random.nextBytes(noise);
      try {
        KvEvents.read(noise);
      } catch (IOException refused) {
        assertThat(refused).hasMessageContaining("");
      }
    }
  }
}
