package dev.colony.node.entity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Any text that Java can carry: all of Unicode, halves of surrogate pairs, control characters, now
 * and then very long. Prints its seed, which {@code -Dcolony.seed} sets.
 */
final class AnyText {

  private final Random random;

  AnyText() {
    long seed = Long.getLong("colony.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dcolony.seed)");
    random = new Random(seed);
  }

  List<String> texts(int count) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(text());
    }
    return texts;
  }

  String text() {
    int units = random.nextInt(500) == 0 ? 20_000 : 1 + random.nextInt(12);
    boolean halves = random.nextInt(8) == 0;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < units; i++) {
      switch (random.nextInt(halves ? 8 : 7)) {
        case 0 -> text.append((char) random.nextInt(0x80));
        case 1 -> text.append((char) (0x10000 - 0x2000 + random.nextInt(0x2000)));
        case 2 -> text.append((char) random.nextInt(Character.MIN_SURROGATE));
        case 3 -> text.appendCodePoint(0x10000 + random.nextInt(0x100000));
        case 4 -> text.append("\u0000");
        case 5 -> text.append("\uFEFF");
        case 6 -> text.append("a\u0301😀");
        default -> text.append((char) (Character.MIN_SURROGATE + random.nextInt(0x800)));
      }
    }
    return text.toString();
  }

  /** By the JDK's own strict encoder. */
  static boolean whole(String text) {
    try {
      UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(text));
      return true;
    } catch (CharacterCodingException half) {
      return false;
    }
  }
}
