package dev.colony.library.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.library.page.Definitions.Symbol;
import dev.colony.library.page.Dependents.Usages;
import dev.colony.library.page.Spans.Reading;
import dev.colony.library.page.Spans.Span;
import dev.colony.vcm.VirtualContextPage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whatever the pages that a file is cut into, the tools see its lines. */
class SourceTreePropertyTest {

  private static final List<String> LINES =
      List.of("", "  run(a);", "int run(int a) {", "}", "// run", "run", "rerun(x)", "é 𝄞 run;");

  private static List<String> lines(List<Integer> choices) {
    return choices.stream().map(choice -> LINES.get(choice)).toList();
  }

  /** The lines on pages of random sizes, in random order. */
  private static SourceTree cut(List<String> lines, long seed) {
    Random random = new Random(seed);
    List<VirtualContextPage> pages = new ArrayList<>();
    int at = 0;
    while (at < lines.size()) {
      int end = Math.min(lines.size(), at + 1 + random.nextInt(4));
      String text = lines.subList(at, end).stream().collect(Collectors.joining("\n", "", "\n"));
      pages.add(Trees.page(pages.size(), "a.c", at + 1, text));
      at = end;
    }
    Collections.shuffle(pages, random);
    return SourceTree.of(pages);
  }

  @Property(tries = 200)
  void readingAllOfItGivesTheFile(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 0, max = 7) Integer> choices,
      @ForAll long seed) {
    List<String> lines = lines(choices);
    MappedText file = cut(lines, seed).files().getFirst();
    Spans all = Reading.of(file, 1, lines.size(), 1_000, 100_000, 400);
    assertThat(all.spans()).hasSize(1);
    assertThat(all.spans().getFirst().text()).isEqualTo(String.join("\n", lines));
    assertThat(all.leftOut()).isZero();
  }

  @Property(tries = 200)
  void readingInPiecesLeavesNothingOutAndSaysNothingTwice(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 0, max = 7) Integer> choices,
      @ForAll @IntRange(min = 1, max = 7) int piece,
      @ForAll @IntRange(min = 1, max = 60) int chars,
      @ForAll long seed) {
    List<String> lines = lines(choices);
    MappedText file = cut(lines, seed).files().getFirst();
    List<String> read = new ArrayList<>();
    int next = 1;
    while (next <= lines.size()) {
      Spans some = Reading.of(file, next, lines.size(), piece, chars, 400);
      Span span = some.spans().getFirst();
      assertThat(span.firstLine()).isEqualTo(next);
      assertThat(some.leftOut()).isEqualTo(lines.size() - span.lastLine());
      read.addAll(List.of(span.text().split("\n", -1)));
      next = span.lastLine() + 1;
    }
    assertThat(read).isEqualTo(lines);
  }

  @Property(tries = 200)
  void eachLineWithTheWordIsADefinitionOrAUsage(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 0, max = 7) Integer> choices,
      @ForAll long seed) {
    List<String> lines = lines(choices);
    SourceTree tree = cut(lines, seed);
    Symbol run = Symbol.of("run").orElseThrow();
    List<Integer> found = new ArrayList<>();
    new Definitions(tree).of(run).forEach(one -> found.add(one.at() + 1));
    new Usages(tree).of(run, 400).forEach(one -> found.add(one.firstLine()));
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).matches(".*(?<![\\w])run(?![\\w]).*")) {
        expected.add(i + 1);
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    List<Integer> matched = new ArrayList<>();
    new Grep("\\brun\\b", false, 0, 400)
        .in(tree.files())
        .forEach(span -> {
          for (int line = span.firstLine(); line <= span.lastLine(); line++) {
            matched.add(line);
          }
        });
    assertThat(matched).containsExactlyElementsOf(expected);
  }
}
