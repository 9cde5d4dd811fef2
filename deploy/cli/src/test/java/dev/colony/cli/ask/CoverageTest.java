package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ask.Document.Coverage;
import dev.colony.cli.ask.Document.Coverage.Part;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Which parts of a source were read. */
class CoverageTest {

  private final Map<PageId, List<PageSegment>> pages = new HashMap<>();
  private final List<PageId> order = new ArrayList<>();

  private String page(PageSegment... segments) {
    int number = order.size();
    String end = "" + (char) ('a' + number / 26) + (char) ('a' + number % 26);
    PageId id = new PageId("a".repeat(24) + end);
    pages.put(id, List.of(segments));
    order.add(id);
    return id.value();
  }

  private Coverage coverage(List<String> read, String... cited) {
    PageGroup group =
        new PageGroup(new PageGroupId("g".repeat(26)), "all", order, 1, PageGroup.Kind.ADVISORY);
    PageMap map = new PageMap("map", "src", List.of(group), 1);
    return Coverage.of(map, new PageLines(pages), read, List.of(cited));
  }

  @Test
  void directoriesHaveTheLinesOfTheirPages() {
    String one = page(new PageSegment("README.md", 1, 10), new PageSegment("a/A.java", 1, 50));
    page(new PageSegment("a/A.java", 51, 100), new PageSegment("b/c/C.java", 1, 30));
    assertThat(coverage(List.of(one, "of another map"), "a/A.java").parts())
        .containsExactly(
            new Part("", 10, 10, false),
            new Part("a", 100, 50, true),
            new Part("b/c", 30, 0, false));
    assertThat(coverage(List.of(one)).all()).isEqualTo(new Part("", 140, 60, false));
  }

  @Test
  void aSourceOfWhichNothingWasReadHasNoShare() {
    page(new PageSegment("A.java", 1, 5));
    assertThat(coverage(List.of()).parts()).containsExactly(new Part("", 5, 0, false));
    assertThat(coverage(List.of()).all().share()).isZero();
  }

  @Property(tries = 200)
  void noLineIsLostOrShownTwiceHoweverManyDirectoriesThereAre(
      @ForAll @Size(min = 1, max = 60) List<@IntRange(max = 9_999) Integer> files) {
    pages.clear();
    order.clear();
    long lines = 0;
    int number = 0;
    for (int file : files) {
      String path =
          "d%d/e%d/f%d/F%d.java".formatted(file / 1000, file / 100 % 10, file % 100, number++);
      page(new PageSegment(path, 1, 1 + file % 7));
      lines += 1 + file % 7;
    }
    Coverage coverage = coverage(List.of());
    assertThat(coverage.all().lines()).isEqualTo(lines);
    assertThat(coverage.parts()).hasSizeLessThanOrEqualTo(Coverage.MOST);
    assertThat(coverage.parts()).extracting(Part::path).doesNotHaveDuplicates();
  }
}
