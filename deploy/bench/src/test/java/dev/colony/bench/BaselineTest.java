package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.bench.Trees.Tree;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BaselineTest {

  private static final String FILLER = "filler line\n".repeat(30);

  private static Tree tree(String... pathsAndTexts) {
    return new Tree(
        IntStream.range(0, pathsAndTexts.length / 2)
            .mapToObj(i -> page(i, pathsAndTexts[2 * i], pathsAndTexts[2 * i + 1]))
            .toList());
  }

  private static VirtualContextPage page(int number, String path, String text) {
    int lines = (int) text.lines().count();
    return new VirtualContextPage(
        new PageId("a".repeat(25) + (char) ('a' + number)),
        "=== %s (lines 1-%d)\n%s".formatted(path, lines, text),
        lines,
        List.of(new PageSegment(path, 1, lines)));
  }

  private final Tree garden =
      tree(
          "Gate.java", FILLER + "the gate opens\n" + "gate gate gate\n".repeat(9),
          "Pond.java", FILLER + "a gate to the pond\nwater runs over\n",
          "Wall.java", FILLER);

  @Test
  void bm25CountsHowOftenRareWordsStandInAFile() {
    List<Found> found = new Baseline.Bm25(garden).ask("Which gate?");

    assertThat(found).extracting(Found::file).containsExactly("Gate.java", "Pond.java");
    assertThat(found.getFirst().text()).isEqualTo("the gate opens");
  }

  @Test
  void grepCountsDifferentWordsFirst() {
    List<Found> found = new Baseline.Grep(garden).ask("Is there water at the gate?");

    assertThat(found).extracting(Found::file).containsExactly("Pond.java", "Gate.java");
    assertThat(found.getFirst().text()).isEqualTo("a gate to the pond");
  }

  @Test
  void whatHasNoWordIsNotFound() {
    assertThat(new Baseline.Bm25(garden).ask("invoices")).isEmpty();
    assertThat(new Baseline.Grep(garden).ask("invoices")).isEmpty();
  }

  @Test
  void partsOfIdentifiersAreWordsToBm25() {
    Tree tree = tree("A.java", FILLER + "openGardenGate()\n", "B.java", FILLER);

    assertThat(new Baseline.Bm25(tree).ask("garden"))
        .extracting(Found::file)
        .containsExactly("A.java");
  }
}
