package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.PageId;
import dev.colony.vcm.PageSegment;
import dev.colony.vcm.VirtualContextPage;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageLinesTest {

  private final PageLines lines =
      PageLines.of(
          new VirtualContextPage(
              new PageId("a".repeat(26)),
              """
              === src/A.java (lines 10-13)
              class A {
                }

                }
              === src/B.java (lines 1-1)
              class B {}
              """,
              40,
              List.of(new PageSegment("src/A.java", 10, 13), new PageSegment("src/B.java", 1, 1))));

  @Test
  void findsALineByItsText() {
    assertThat(lines.find("src/B.java", 1, "class B {}"))
        .contains(new PageLines.Line("src/B.java", 1, "class B {}"));
  }

  @Test
  void mendsAMiscountedNumberAndTrimmedBlanks() {
    assertThat(lines.find("src/A.java", 12, "}").orElseThrow().line()).isIn(11, 13);
    assertThat(lines.find("src/A.java", 99, "}"))
        .contains(new PageLines.Line("src/A.java", 13, "  }"));
  }

  @Test
  void refusesWhatDoesNotStandThere() {
    assertThat(lines.find("src/A.java", 10, "class C {")).isEmpty();
    assertThat(lines.find("src/B.java", 10, "class A {")).isEmpty();
    assertThat(lines.find("src/A.java", 12, "")).isEmpty();
  }
}
