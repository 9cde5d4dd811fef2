package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Nothing that a terminal acts on gets through. */
class PrintableTest {

  private static final String ESCAPE = "\u001b[2J";
  private static final String OVERRIDE = "\u202e";

  @Test
  void whatATerminalActsOnIsEscaped() {
    assertThat(Printable.of("a" + ESCAPE + "b")).isEqualTo("a\\u001b[2Jb");
    assertThat(Printable.of("one\r\ntwo\u0007")).isEqualTo("one\\u000d\\u000atwo\\u0007");
    assertThat(Printable.of("\u009b1m")).as("the one-byte form of it").isEqualTo("\\u009b1m");
    assertThat(Printable.of("\u007f")).isEqualTo("\\u007f");
    assertThat(Printable.of(OVERRIDE + "txt")).as("turns the line").isEqualTo("\\u202etxt");
    assertThat(Printable.of("\u2028")).isEqualTo("\\u2028");
    assertThat(Printable.of("\ud800")).isEqualTo("\\ud800");
    assertThat(Printable.of("\udb40\udc41")).as("unseen").isEqualTo("\\udb40\\udc41");
  }

  @Test
  void whatPeopleWriteStays() {
    String text = "Größe 42 \u4f60\u597d \ud83d\ude00 a\\b \"c\"";
    assertThat(Printable.of(text)).isEqualTo(text);
  }

  @Property
  void jsonStaysTheSameJson(@ForAll String text) throws Exception {
    String shown = Printable.of(TextNode.valueOf(text).toString());
    assertThat(shown).doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");
    assertThat(JsonMapper.builder().build().readTree(shown).textValue()).isEqualTo(text);
  }

  @Property
  void aBeginningIsNoLongerThanAsked(
      @ForAll String text, @ForAll @IntRange(min = 1, max = 50) int length) {
    String shown = Printable.beginning(text, length);
    assertThat(shown.length()).isLessThanOrEqualTo(length);
    if (Printable.of(text).length() <= length) {
      assertThat(shown).isEqualTo(Printable.of(text));
    } else {
      assertThat(shown).endsWith("…");
      assertThat(Printable.of(text)).startsWith(shown.substring(0, shown.length() - 1));
    }
  }
}
