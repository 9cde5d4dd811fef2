package dev.colony.bench.engine;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A language model of random weights in GGUF, the file format of llama.cpp: llama's architecture,
 * one token for each byte, 32-bit floats. What it says means nothing; what it costs to read a
 * prompt, and what of it is cached, is an engine's.
 *
 * @param layers from 1
 * @param width of the embedding, a multiple of 64
 * @param contextTokens that it says it was trained for
 */
record TinyModel(int layers, int width, int contextTokens) {

  /** Three control tokens, 256 bytes; filled up, as kernels like multiples of 32. */
  static final int VOCABULARY = 288;

  /** The token of the byte 0. */
  static final int FIRST_BYTE = 3;

  private static final int HEAD = 32;
  private static final int ALIGNMENT = 32;
  private static final int UINT32 = 4;
  private static final int INT32 = 5;
  private static final int FLOAT32 = 6;
  private static final int BOOL = 7;
  private static final int STRING = 8;
  private static final int ARRAY = 9;

  private record Tensor(String name, int... shape) {

    int size() {
      return IntStream.of(shape).reduce(1, (a, b) -> a * b);
    }

    /** Bytes with what fills them up to the alignment. */
    long padded() {
      return (4L * size() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
  }

  /** Equal seeds make equal files. */
  void write(Path file, long seed) throws IOException {
    List<Consumer<Bytes>> entries = entries();
    List<Tensor> tensors = tensors();
    Bytes head = new Bytes();
    head.raw("GGUF".getBytes(StandardCharsets.US_ASCII));
    head.int32(3);
    head.int64(tensors.size());
    head.int64(entries.size());
    entries.forEach(entry -> entry.accept(head));
    long offset = 0;
    for (Tensor tensor : tensors) {
      head.text(tensor.name());
      head.int32(tensor.shape().length);
      for (int extent : tensor.shape()) {
        head.int64(extent);
      }
      head.int32(0);
      head.int64(offset);
      offset += tensor.padded();
    }
    head.align();
    Random random = new Random(seed);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      out.write(head.toArray());
      for (Tensor tensor : tensors) {
        boolean norm = tensor.shape().length == 1;
        Bytes weights = new Bytes();
        for (int i = 0; i < tensor.size(); i++) {
          weights.float32(norm ? 1 : (float) (random.nextGaussian() / Math.sqrt(width)));
        }
        weights.align();
        out.write(weights.toArray());
      }
    }
  }

  private List<Tensor> tensors() {
    List<Tensor> tensors = new ArrayList<>();
    tensors.add(new Tensor("token_embd.weight", width, VOCABULARY));
    tensors.add(new Tensor("output_norm.weight", width));
    tensors.add(new Tensor("output.weight", width, VOCABULARY));
    for (int i = 0; i < layers; i++) {
      String block = "blk." + i + ".";
      tensors.add(new Tensor(block + "attn_norm.weight", width));
      for (String part : List.of("attn_q", "attn_k", "attn_v", "attn_output")) {
        tensors.add(new Tensor(block + part + ".weight", width, width));
      }
      tensors.add(new Tensor(block + "ffn_norm.weight", width));
      tensors.add(new Tensor(block + "ffn_gate.weight", width, 2 * width));
      tensors.add(new Tensor(block + "ffn_up.weight", width, 2 * width));
      tensors.add(new Tensor(block + "ffn_down.weight", 2 * width, width));
    }
    return tensors;
  }

  private List<Consumer<Bytes>> entries() {
    List<Consumer<Bytes>> entries = new ArrayList<>();
    entries.add(text("general.architecture", "llama"));
    entries.add(text("general.name", "tiny"));
    entries.add(uint("general.file_type", 0));
    entries.add(uint("llama.context_length", contextTokens));
    entries.add(uint("llama.embedding_length", width));
    entries.add(uint("llama.block_count", layers));
    entries.add(uint("llama.feed_forward_length", 2 * width));
    entries.add(uint("llama.rope.dimension_count", HEAD));
    entries.add(uint("llama.attention.head_count", width / HEAD));
    entries.add(uint("llama.attention.head_count_kv", width / HEAD));
    entries.add(uint("llama.vocab_size", VOCABULARY));
    entries.add(bytes -> {
      bytes.key("llama.attention.layer_norm_rms_epsilon", FLOAT32);
      bytes.float32(1e-5f);
    });
    entries.add(text("tokenizer.ggml.model", "llama"));
    entries.add(bytes -> {
      bytes.array("tokenizer.ggml.tokens", STRING, VOCABULARY);
      for (int i = 0; i < VOCABULARY; i++) {
        bytes.text(token(i));
      }
    });
    entries.add(bytes -> {
      bytes.array("tokenizer.ggml.scores", FLOAT32, VOCABULARY);
      for (int i = 0; i < VOCABULARY; i++) {
        bytes.float32(0);
      }
    });
    entries.add(bytes -> {
      bytes.array("tokenizer.ggml.token_type", INT32, VOCABULARY);
      for (int i = 0; i < VOCABULARY; i++) {
        bytes.int32(type(i));
      }
    });
    entries.add(uint("tokenizer.ggml.unknown_token_id", 0));
    entries.add(uint("tokenizer.ggml.bos_token_id", 1));
    entries.add(uint("tokenizer.ggml.eos_token_id", 2));
    entries.add(flag("tokenizer.ggml.add_bos_token", true));
    entries.add(flag("tokenizer.ggml.add_eos_token", false));
    entries.add(flag("tokenizer.ggml.add_space_prefix", false));
    return entries;
  }

  private static String token(int id) {
    return switch (id) {
      case 0 -> "<unk>";
      case 1 -> "<s>";
      case 2 -> "</s>";
      default ->
          id < FIRST_BYTE + 256
              ? "<0x%02X>".formatted(id - FIRST_BYTE)
              : "<unused%d>".formatted(id);
    };
  }

  /** As llama.cpp numbers them: unknown, control, unused, byte. */
  private static int type(int id) {
    return switch (id) {
      case 0 -> 2;
      case 1, 2 -> 3;
      default -> id < FIRST_BYTE + 256 ? 6 : 5;
    };
  }

  private static Consumer<Bytes> text(String key, String value) {
    return bytes -> {
      bytes.key(key, STRING);
      bytes.text(value);
    };
  }

  private static Consumer<Bytes> uint(String key, int value) {
    return bytes -> {
      bytes.key(key, UINT32);
      bytes.int32(value);
    };
  }

  private static Consumer<Bytes> flag(String key, boolean value) {
    return bytes -> {
      bytes.key(key, BOOL);
      bytes.raw(new byte[] {(byte) (value ? 1 : 0)});
    };
  }

  /** Little-endian bytes that grow. */
  private static final class Bytes {

    private ByteBuffer bytes = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);

    private ByteBuffer room(int more) {
      if (bytes.remaining() < more) {
        ByteBuffer larger =
            ByteBuffer.allocate(2 * bytes.capacity() + more).order(ByteOrder.LITTLE_ENDIAN);
        bytes = larger.put(bytes.flip());
      }
      return bytes;
    }

    void raw(byte[] some) {
      room(some.length).put(some);
    }

    void int32(int value) {
      room(4).putInt(value);
    }

    void int64(long value) {
      room(8).putLong(value);
    }

    void float32(float value) {
      room(4).putFloat(value);
    }

    void text(String value) {
      byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
      int64(utf8.length);
      raw(utf8);
    }

    void key(String key, int type) {
      text(key);
      int32(type);
    }

    void array(String key, int type, int size) {
      key(key, ARRAY);
      int32(type);
      int64(size);
    }

    void align() {
      raw(new byte[(ALIGNMENT - bytes.position() % ALIGNMENT) % ALIGNMENT]);
    }

    byte[] toArray() {
      byte[] all = new byte[bytes.position()];
      bytes.get(0, all);
      return all;
    }
  }
}
