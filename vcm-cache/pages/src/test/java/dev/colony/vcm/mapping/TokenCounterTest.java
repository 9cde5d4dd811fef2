package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;

class TokenCounterTest {

  /** Counts words. */
  public static final class Words implements Tokenizer {
    @Override
    public String name() {
      return "words";
    }

    @Override
    public int count(String text) {
      return text.isBlank() ? 0 : text.strip().split("\\s+").length;
    }
  }

  /** Page sizes rely on it. */
  @Property(tries = 300)
  void countsAddUpWhereAHeaderBegins(
      @ForAll @StringLength(max = 60) @CharRange(from = ' ', to = '~') String before,
      @ForAll @StringLength(max = 60) String after) {
    for (String name : new String[] {"o200k_base", "cl100k_base", "words"}) {
      TokenCounter counter = TokenCounter.named(name);
      String first = before + "\n";
      String second = "=== a.txt (lines 1-2)\n" + after;
      assertThat(counter.count(first + second))
          .as(name)
          .isEqualTo(counter.count(first) + counter.count(second));
    }
  }

  @Example
  void aTokenizerOnTheClassPathIsFoundByItsName() {
    assertThat(TokenCounter.named("words").count("one two  three")).isEqualTo(3);
    assertThat(TokenCounter.named("o200k_base").count("one two")).isEqualTo(2);
    assertThat(TokenCounter.named("o200k_base").count("a <|endoftext|> b"))
        .as("a mark is text")
        .isGreaterThan(3);
  }

  @Example
  void oneThatIsNotThereIsRefusedInOneLine() {
    assertThatThrownBy(() -> TokenCounter.named("none"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "colony.vcm.grouping.tokenizer is none, must be one of cl100k_base, o200k_base, words");
  }
}
