package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PagingPropertyTest {

  private static final int PAGE_SIZE = 160;
  private static final GroupingSettings SETTINGS = new GroupingSettings(PAGE_SIZE, 3);
  private static final TokenCounter COUNTER = new TokenCounter();

  @Property(tries = 150)
  void everyLineOfEveryFileIsOnExactlyOnePage(@ForAll("trees") Map<String, String> files) {
    Map<String, SortedMap<Integer, String>> restored = new HashMap<>();
    for (VirtualContextPage page : Fixtures.map(files, SETTINGS).pages()) {
      for (PageText.SegmentLines segment : PageText.segments(page)) {
        SortedMap<Integer, String> lines =
            restored.computeIfAbsent(segment.segment().file(), file -> new TreeMap<>());
        int number = segment.segment().firstLine();
        for (String line : segment.lines()) {
          assertThat(lines.put(number++, line)).as("a line on two pages").isNull();
        }
        assertThat(number - 1).isEqualTo(segment.segment().lastLine());
      }
    }
    Map<String, List<String>> expected = new HashMap<>();
    files.forEach((path, text) -> expected.put(path, lines(text)));
    Map<String, List<String>> actual = new HashMap<>();
    restored.forEach((path, lines) -> {
      assertThat(lines.firstKey()).isEqualTo(1);
      assertThat(lines.lastKey()).isEqualTo(lines.size());
      actual.put(path, List.copyOf(lines.values()));
    });
    assertThat(actual).isEqualTo(expected);
  }

  @Property(tries = 100)
  void pageSizesAreExactAndWithinTheTarget(@ForAll("trees") Map<String, String> files) {
    for (VirtualContextPage page : Fixtures.map(files, SETTINGS).pages()) {
      assertThat(page.sizeTokens()).isEqualTo(COUNTER.count(page.text()));
      boolean oneLine =
          page.segments().size() == 1
              && page.segments().getFirst().firstLine() == page.segments().getFirst().lastLine();
      if (!oneLine) {
        assertThat(page.sizeTokens()).isLessThanOrEqualTo(PAGE_SIZE);
      }
    }
  }

  @Property(tries = 50)
  void groupsHoldEachPageOnceInOrder(@ForAll("trees") Map<String, String> files) {
    MappingResult.Mapped mapped = Fixtures.map(files, SETTINGS);
    List<PageId> grouped =
        mapped.map().groups().stream().flatMap(group -> group.pages().stream()).toList();

    assertThat(grouped)
        .isEqualTo(mapped.pages().stream().map(VirtualContextPage::id).toList())
        .doesNotHaveDuplicates();
    assertThat(mapped.map().groups())
        .allSatisfy(group -> assertThat(group.pages()).hasSizeBetween(1, 3));
    assertThat(mapped.map().sizeTokens())
        .isEqualTo(mapped.pages().stream().mapToLong(VirtualContextPage::sizeTokens).sum());
    assertThat(mapped.map().groups().stream().map(PageGroup::id)).doesNotHaveDuplicates();
  }

  @Property(tries = 30)
  void equalSourcesHaveEqualMaps(@ForAll("trees") Map<String, String> files) {
    assertThat(Fixtures.map(files, SETTINGS)).isEqualTo(Fixtures.map(files, SETTINGS));
  }

  @Provide
  Arbitrary<Map<String, String>> trees() {
    Arbitrary<String> name = Arbitraries.of("Foo", "FooTest", "Bar", "index", "Merge", "a b", "ü");
    Arbitrary<String> directory =
        Arbitraries.of("", "src/main/java/", "src/test/java/", "lib/", "lib/deep/er/", "z/");
    Arbitrary<String> path =
        net.jqwik.api.Combinators.combine(directory, name, Arbitraries.of(".java", ".md", ""))
            .as((at, file, ending) -> at + file + ending);
    Arbitrary<String> line =
        Arbitraries.oneOf(
            Arbitraries.of(
                "", "  ", "}", "=== Foo.java (lines 1-2)", "/** doc */", "\t", "  return x;\r"),
            Arbitraries.strings().withCharRange(' ', '~').ofMaxLength(90),
            Arbitraries.strings().withChars("añ語😀 /").ofMaxLength(30));
    Arbitrary<String> text =
        net.jqwik.api.Combinators.combine(
                line.list().ofMinSize(1).ofMaxSize(60), Arbitraries.of(true, false))
            .as((lines, ended) -> String.join("\n", lines) + (ended ? "\n" : ""))
            .filter(content -> !content.isEmpty());
    return Arbitraries.maps(path, text).ofMinSize(1).ofMaxSize(12);
  }

  private static List<String> lines(String text) {
    String ended = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    return Arrays.asList(ended.split("\n", -1));
  }
}
