package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PageMapperTest {

  private static final GroupingSettings SETTINGS = new GroupingSettings(512, 4);

  @Test
  void aPageShowsEachFilesNameAndLines() {
    MappingResult.Mapped mapped =
        Fixtures.map(Map.of("a/Foo.java", "one\ntwo\n", "a/Bar.java", "three"), SETTINGS);

    VirtualContextPage page = mapped.pages().getFirst();
    assertThat(page.text())
        .isEqualTo("=== a/Bar.java (lines 1-1)\nthree\n=== a/Foo.java (lines 1-2)\none\ntwo\n");
    assertThat(page.segments())
        .containsExactly(new PageSegment("a/Bar.java", 1, 1), new PageSegment("a/Foo.java", 1, 2));
    assertThat(mapped.map().groups().getFirst().label()).isEqualTo("a");
    assertThat(mapped.map().files()).isEqualTo(2);
  }

  @Test
  void everyFifthLineShowsItsNumberAndThePartsOfAFileCountOn() {
    String text = "x\n".repeat(3) + "\n" + "five\n" + "5\tsix\n".repeat(2) + "y = 1;\n".repeat(400);

    MappingResult.Mapped mapped = Fixtures.map(Map.of("Long.txt", text), SETTINGS);

    assertThat(mapped.pages()).hasSizeGreaterThan(1);
    assertThat(pageWithLine(mapped, 1).text())
        .startsWith("=== Long.txt (lines 1-")
        .contains("x\n\n5\tfive\n5\tsix\n5\tsix\ny = 1;\ny = 1;\n10\ty = 1;\n");
    List<String> lines = new ArrayList<>();
    for (VirtualContextPage page : mapped.pages()) {
      PageText.SegmentLines own = PageText.segments(page).getFirst();
      assertThat(own.segment().firstLine()).isEqualTo(lines.size() + 1);
      lines.addAll(own.lines());
      assertThat(page.sizeTokens()).isLessThanOrEqualTo(512);
    }
    assertThat(String.join("\n", lines) + "\n").isEqualTo(text);
  }

  private static VirtualContextPage pageWithLine(MappingResult.Mapped mapped, int line) {
    return mapped.pages().stream()
        .filter(page -> page.segments().getFirst().firstLine() == line)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aTestSharesThePageOfWhatItTests() {
    Map<String, String> files = new TreeMap<>();
    for (String name : List.of("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta")) {
      files.put("src/main/java/p/" + name + ".java", code(name, 12));
      files.put("src/test/java/p/" + name + "Test.java", code(name + "Test", 8));
    }

    MappingResult.Mapped mapped = Fixtures.map(files, SETTINGS);

    assertThat(mapped.pages()).hasSizeGreaterThan(2);
    for (String name : List.of("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta")) {
      assertThat(pageOf(mapped, "src/main/java/p/" + name + ".java"))
          .as(name)
          .isEqualTo(pageOf(mapped, "src/test/java/p/" + name + "Test.java"));
    }
  }

  @Test
  void filesThatShareAStemAreNeighbours() {
    MappingResult.Mapped mapped =
        Fixtures.map(
            Map.of(
                "src/main/java/p/Foo.java", "1\n",
                "src/main/java/p/FooBar.java", "2\n",
                "src/test/java/p/FooTest.java", "3\n",
                "src/test/java/p/FooBarTest.java", "4\n"),
            SETTINGS);

    assertThat(mapped.pages().getFirst().segments())
        .extracting(PageSegment::file)
        .containsExactly(
            "src/main/java/p/Foo.java",
            "src/test/java/p/FooTest.java",
            "src/main/java/p/FooBar.java",
            "src/test/java/p/FooBarTest.java");
  }

  @Test
  void aSmallFileStandsWithTheOneThatUsesItMost() {
    Map<String, String> files = new TreeMap<>();
    for (String name : List.of("Archive", "Merger", "Parser", "Reader", "Sorter", "Writer")) {
      files.put("p/" + name + ".java", code(name, 30));
    }
    files.put("p/Merger.java", code("Merger", 28) + "// uses Bound, Bound and Bound\n");
    files.put("p/Archive.java", code("Archive", 29) + "// names Bound\n");
    files.put("p/Bound.java", "enum Bound { LOW, HIGH }\n");

    // Larger files than a small one may be.
    files.replaceAll(
        (path, text) -> path.contains("Bound") ? text : text + "// padding\n".repeat(300));
    MappingResult.Mapped mapped = Fixtures.map(files, new GroupingSettings(2048, 4));

    assertThat(pageOf(mapped, "p/Bound.java")).isEqualTo(pageOf(mapped, "p/Merger.java"));
  }

  @Test
  void aLargeFileIsCutBetweenDeclarations() {
    String text =
        IntStream.range(0, 40)
            .mapToObj(i -> "int f" + i + "(int x) {\n  int y = x + " + i + ";\n  return y;\n}\n\n")
            .collect(Collectors.joining());

    MappingResult.Mapped mapped = Fixtures.map(Map.of("Big.java", text), SETTINGS);

    assertThat(mapped.pages()).hasSizeGreaterThan(1);
    for (VirtualContextPage page : mapped.pages()) {
      assertThat(PageText.segments(page).getFirst().lines().getFirst()).startsWith("int f");
    }
  }

  @Test
  void anEditLeavesTheOtherPagesAsTheyAre() {
    Map<String, String> files = new TreeMap<>();
    for (int directory = 0; directory < 8; directory++) {
      for (int file = 0; file < 10; file++) {
        files.put("d" + directory + "/F" + file + ".java", code("F" + file, 10 + file));
      }
    }
    Set<PageId> before = ids(Fixtures.map(files, SETTINGS));

    files.computeIfPresent("d3/F4.java", (path, text) -> text + "// a remark\n");
    Set<PageId> after = ids(Fixtures.map(files, SETTINGS));

    Set<PageId> changed = new HashSet<>(after);
    changed.removeAll(before);
    assertThat(before).hasSizeGreaterThan(15);
    assertThat(changed).hasSizeBetween(1, 2);
  }

  @Test
  void filesOfOneDirectoryStayTogetherWhereTheyFit() {
    Map<String, String> files = new TreeMap<>();
    for (int directory = 0; directory < 6; directory++) {
      for (int file = 0; file < 3; file++) {
        files.put("d" + directory + "/F" + file + ".java", code("F" + file, 10));
      }
    }

    MappingResult.Mapped mapped = Fixtures.map(files, new GroupingSettings(700, 4));

    for (int directory = 0; directory < 6; directory++) {
      String at = "d" + directory + "/";
      assertThat(
              IntStream.range(0, 3)
                  .mapToObj(f -> pageOf(mapped, at + "F" + f + ".java"))
                  .distinct())
          .as(at)
          .hasSize(1);
    }
  }

  @Test
  void handsOnWhyASourceWasRefused() {
    MappingResult result =
        new PageMapper(SETTINGS, Fixtures.sourceSettings(), new TokenCounter())
            .map(progress -> new SourceReading.Refused("x: no such"), SourceProgress.SILENT);

    assertThat(result).isEqualTo(new MappingResult.Refused("x: no such"));
  }

  private static String code(String name, int lines) {
    return "class "
        + name
        + " {\n"
        + IntStream.range(0, lines)
            .mapToObj(i -> "  int field" + i + " = " + i + ";\n")
            .collect(Collectors.joining())
        + "}\n";
  }

  private static PageId pageOf(MappingResult.Mapped mapped, String file) {
    return mapped.pages().stream()
        .filter(page -> page.segments().stream().anyMatch(s -> s.file().equals(file)))
        .findFirst()
        .orElseThrow()
        .id();
  }

  private static Set<PageId> ids(MappingResult.Mapped mapped) {
    return mapped.pages().stream().map(VirtualContextPage::id).collect(Collectors.toSet());
  }
}
