package dev.colony.blackboard.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class KeyGlobTest {

  @Property
  void matchesAsTheEqualRegularExpressionDoes(
      @ForAll("patterns") String pattern, @ForAll("keys") String key) {
    StringBuilder regex = new StringBuilder();
    pattern
        .codePoints()
        .forEach(c ->
            regex.append(
                switch (c) {
                  case '*' -> ".*";
                  case '?' -> ".";
                  default -> Pattern.quote(Character.toString(c));
                }));
    assertThat(new KeyGlob(pattern).matches(key))
        .isEqualTo(Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(key).matches());
  }

  @Property
  void everyMatchBeginsWithThePrefix(
      @ForAll("patterns") String pattern, @ForAll("keys") String key) {
    KeyGlob glob = new KeyGlob(pattern);
    assertThat(pattern).startsWith(glob.prefix());
    if (glob.matches(key)) {
      assertThat(key).startsWith(glob.prefix());
    }
    if (glob.literal()) {
      assertThat(glob.matches(key)).isEqualTo(key.equals(pattern));
    }
  }

  @Example
  void worstCaseEndsSoon() {
    String pattern = "*a".repeat(500) + "b";
    assertThat(new KeyGlob(pattern).matches("a".repeat(1_024))).isFalse();
  }

  @Example
  void emptyAndOverlongPatternsAreRefused() {
    assertThatThrownBy(() -> new KeyGlob("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new KeyGlob("*".repeat(1_025)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.of("a", "b", ":", "🎈", "*", "?")
        .list()
        .ofMinSize(1)
        .ofMaxSize(8)
        .map(parts -> String.join("", parts));
  }

  @Provide
  Arbitrary<String> keys() {
    return Arbitraries.of("a", "b", ":", "🎈")
        .list()
        .ofMaxSize(8)
        .map(parts -> String.join("", parts));
  }
}
