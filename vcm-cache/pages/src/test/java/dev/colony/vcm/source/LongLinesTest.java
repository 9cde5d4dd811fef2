package dev.colony.vcm.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class LongLinesTest {

  private static final Pattern ROW = Pattern.compile("\\[(\\d+):(\\d+)] (.*)", Pattern.DOTALL);

  @Test
  void shortLinesAreTheVeryText() {
    String text = "a\n" + "b".repeat(1_000) + "\n";

    assertThat(LongLines.cut(text, 1_000)).isSameAs(text);
  }

  @Test
  void aLongLineIsRowsThatSayWhereTheyStand() {
    String line = "{" + "\"timeout\":30,".repeat(100) + "}";

    assertThat(LongLines.cut("head\n" + line + "\ntail\n", 1_000).lines())
        .startsWith(
            "head", "[2:1] " + line.substring(0, 391), "[2:392] " + line.substring(391, 781))
        .endsWith("tail");
  }

  @Property(tries = 100)
  void rowsAreTheLineAgain(
      @ForAll @StringLength(max = 3_000) String text,
      @ForAll @IntRange(min = 1, max = 900) int most) {
    String line = text.replaceAll("[\\r\\n]", " ");
    String cut = LongLines.cut("x\n" + line + "\ny", most);

    StringBuilder again = new StringBuilder();
    for (String row : cut.split("\n", -1)) {
      Matcher place = ROW.matcher(row);
      if (line.length() > most && place.matches()) {
        assertThat(place.group(1)).isEqualTo("2");
        assertThat(Integer.parseInt(place.group(2))).isEqualTo(again.length() + 1);
        assertThat(place.group(3).length()).isBetween(1, LongLines.ROW_CHARS);
        again.append(place.group(3));
      } else if (line.length() <= most && !row.equals("x") && !row.equals("y")) {
        again.append(row);
      }
    }
    assertThat(cut).startsWith("x\n").endsWith("\ny");
    if (line.length() > 1 || line.length() > most) {
      assertThat(again.toString()).isEqualTo(line);
    }
  }
}
