package dev.colony.inference.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepetitionTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"1. ", "\\n", " ", "the cache of the cache ", "\"queries\": [\"lookup\"], "})
  void wordsThatComeOverAndOverAreALoop(String words) {
    String begun = "{\"queries\": [\"find the class that routes a call\", \"";
    assertThat(Repetition.ends(begun + words.repeat(1 + 1200 / words.length()))).isTrue();
    assertThat(Repetition.ends(begun + words.repeat(3))).isFalse();
    assertThat(Repetition.ends(words.repeat(400) + "and an end that says something else"))
        .isFalse();
  }

  @Test
  void textThatGoesOnIsNone() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    for (int line = 1; line < 300; line++) {
      text.append(
          "  {\"file\": \"src/Main.java\", \"first\": %d, \"last\": %d},\n"
              .formatted(line, line + random.nextInt(9)));
      assertThat(Repetition.ends(text)).as("seed %d", seed).isFalse();
    }
    assertThat(Repetition.ends("=".repeat(120))).isFalse();
  }
}
