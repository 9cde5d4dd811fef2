package dev.colony.blackboard.value;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The JDK's own strict encoder says what is well-formed. */
class TextTest {

  @Provide
  Arbitrary<String> texts() {
    return Texts.any();
  }

  /** Characters before the first that UTF-8 has no form for; -1 if it has one for all. */
  private static int strictly(String text) {
    CharBuffer in = CharBuffer.wrap(text);
    var result = UTF_8.newEncoder().encode(in, ByteBuffer.allocate(4 * text.length() + 4), true);
    return result.isError() ? in.position() : -1;
  }

  @Property
  void aHalfIsFoundWhereTheEncoderStops(@ForAll("texts") String text) {
    assertThat(Text.half(text)).isEqualTo(strictly(text));
  }

  @Property
  void whatIsCheckedIsTheTextItselfOrRefusedByNameAndPlace(@ForAll("texts") String text) {
    int half = strictly(text);
    if (half < 0) {
      assertThat(Text.check("the reason", text)).isSameAs(text);
    } else {
      assertThatThrownBy(() -> Text.check("the reason", text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the reason holds half a surrogate pair at character " + half);
    }
  }

  @Property
  void wellFormedTextDiffersInItsHalvesOnly(@ForAll("texts") String text) {
    String whole = Text.wellFormed(text);
    assertThat(strictly(whole)).isEqualTo(-1);
    assertThat(whole).hasSameSizeAs(text);
    assertThat(new String(whole.getBytes(UTF_8), UTF_8)).isEqualTo(whole);
    for (int i = 0; i < text.length(); i++) {
      if (whole.charAt(i) != text.charAt(i)) {
        assertThat(whole.charAt(i)).isEqualTo(Text.REPLACEMENT);
        assertThat(Character.isSurrogate(text.charAt(i))).isTrue();
      }
    }
    if (strictly(text) < 0) {
      assertThat(whole).isSameAs(text);
    }
  }

  @Property
  void noCutPartsAPair(@ForAll("texts") String text, @ForAll @IntRange(max = 70) int most) {
    String whole = Text.wellFormed(text);
    String head = Text.head(whole, most);
    assertThat(whole).startsWith(head);
    assertThat(strictly(head)).isEqualTo(-1);
    assertThat(head.length()).isBetween(Math.min(whole.length(), Math.max(0, most - 1)), most);
    String tail = Text.tail(whole, most);
    assertThat(whole).endsWith(tail);
    assertThat(strictly(tail)).isEqualTo(-1);
    assertThat(tail.length()).isBetween(Math.min(whole.length(), Math.max(0, most - 1)), most);
  }

  @Property
  void aCutTextSaysSoAndIsWellFormed(
      @ForAll("texts") String text, @ForAll @IntRange(max = 70) int most) {
    String cut = Text.cut(text, most);
    assertThat(strictly(cut)).isEqualTo(-1);
    assertThat(cut.length()).isLessThanOrEqualTo(most + 3);
    assertThat(text.length() > most).isEqualTo(!cut.equals(Text.wellFormed(text)));
  }

  @Property
  void aLineIsWellFormedAndOne(
      @ForAll("texts") String text, @ForAll @IntRange(min = 1, max = 70) int most) {
    String line = Text.line(text, most);
    assertThat(strictly(line)).isEqualTo(-1);
    assertThat(line.length()).isLessThanOrEqualTo(most + 3);
    assertThat(line).doesNotContainPattern("[\\p{Cntrl}\\u2028\\u2029]");
  }

  @Test
  void aVeryLongTextIsCutWithoutBeingReadWhole() {
    String text = "😀".repeat(10_000_000);
    assertThat(Text.head(text, 1_001)).isEqualTo("😀".repeat(500));
    assertThat(Text.line(text, 1_001)).isEqualTo("😀".repeat(499) + "...");
  }
}
