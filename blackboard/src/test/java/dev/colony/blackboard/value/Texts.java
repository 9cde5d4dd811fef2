package dev.colony.blackboard.value;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/**
 * Every string that Java and JSON can carry: all planes, halves of pairs, NUL, byte order marks.
 */
final class Texts {

  private Texts() {}

  static Arbitrary<String> any() {
    Arbitrary<String> unit =
        Arbitraries.oneOf(
            Arbitraries.chars().all().map(String::valueOf),
            Arbitraries.integers()
                .between(0, Character.MAX_CODE_POINT)
                .map(c -> new String(Character.toChars(c))),
            Arbitraries.chars()
                .range(Character.MIN_SURROGATE, Character.MAX_SURROGATE)
                .map(String::valueOf),
            Arbitraries.of("\u0000", "\uFEFF", "\uFFFD", "a", "\n", "\r\n", "\u2028", "😀", ""));
    return unit.list().ofMaxSize(60).map(units -> String.join("", units));
  }
}
