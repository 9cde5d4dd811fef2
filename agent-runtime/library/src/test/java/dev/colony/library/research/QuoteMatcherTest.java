package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.library.research.AnalystCapability.Quote;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.TokenCounter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QuoteMatcherTest {

  private static final String TREE =
      """
      package tree;

      /** Keeps what it is given, in order. */
      final class Tree {
        private static final int MOST_NODES = 1 << 20;

        void put(String key, Object value) {
          if (size == MOST_NODES) {
            throw new IllegalStateException("the tree is full: " + size + " nodes");
          }
          root = balanced(inserted(root, key, value));
          size++;
        }
      }
      """;

  private final QuoteMatcher lines = lines("src/main/tree/Tree.java", TREE);

  private static QuoteMatcher lines(String file, String text) {
    return QuoteMatcher.of(
        List.of(PageText.page(file, text, PageLabel.NONE, new TokenCounter())), 8);
  }

  private String place(String file, int first, int last, String text) {
    return lines
        .find(new Quote(file, first, last, text, 1))
        .map(found -> found.firstLine() + "-" + found.lastLine())
        .orElse("nowhere");
  }

  private String place(String text) {
    return place("src/main/tree/Tree.java", 1, 1, text);
  }

  @Test
  void findsALineByItsTextAndGivesItAsItStands() {
    Optional<QuoteMatcher.Found> found =
        lines.find(new Quote("src/main/tree/Tree.java", 12, 12, "size++;", 1));

    assertThat(found)
        .contains(
            new QuoteMatcher.Found(
                "src/main/tree/Tree.java", 12, 12, "    size++;", found.orElseThrow().page()));
  }

  @Test
  void givesTheSpanThatIsNamedWhereItIsAroundTheText() {
    assertThat(place("src/main/tree/Tree.java", 7, 10, "if (size == MOST_NODES) {"))
        .isEqualTo("7-10");
  }

  @Test
  void theTextDecidesWhereTheNumbersAreWrongAndTheyDecideBetweenEqualTexts() {
    assertThat(place("src/main/tree/Tree.java", 2, 3, "if (size == MOST_NODES) {"))
        .isEqualTo("8-8");
    assertThat(place("src/main/tree/Tree.java", 99, 99, "}")).isEqualTo("14-14");
    assertThat(place("src/main/tree/Tree.java", 9, 9, "}")).isEqualTo("10-10");
  }

  @Test
  void aSpanThatIsTooLongIsCutToItsText() {
    assertThat(place("src/main/tree/Tree.java", 1, 14, "size++;")).isEqualTo("12-12");
  }

  @Test
  void shortenedPathsNameTheFile() {
    for (String path :
        List.of(
            "Tree.java",
            "tree/Tree.java",
            ".../tree/Tree.java",
            "./src/main/tree/Tree.java",
            "/home/me/src/main/tree/Tree.java",
            "Tree",
            "src\\main\\tree\\Tree.java")) {
      assertThat(place(path, 1, 1, "size++;")).as(path).isEqualTo("12-12");
    }
    assertThat(place("src/main/tree/Bush.java", 12, 12, "size++;")).isEqualTo("nowhere");
    assertThat(place("ee.java", 12, 12, "size++;")).isEqualTo("nowhere");
  }

  @Test
  void joinedBrokenNumberedAndElidedLinesAreFound() {
    assertThat(place("root = balanced(inserted(root, key, value)); size++;")).isEqualTo("11-12");
    assertThat(place("root = balanced(\n    inserted(root, key, value));")).isEqualTo("11-11");
    assertThat(place("11\troot = balanced(inserted(root, key, value));")).isEqualTo("11-11");
    assertThat(place("void put(String key, Object value) {\n...\nroot = balanced(inserted(root"))
        .isEqualTo("7-11");
    assertThat(place("the tree is full")).as("part of a line").isEqualTo("9-9");
  }

  @Test
  void smallSlipsAreForgivenAndWhatStandsThereIsGiven() {
    Optional<QuoteMatcher.Found> found =
        lines.find(
            new Quote("Tree.java", 11, 11, "root = balenced(inserted(root, key, valu));", 1));

    assertThat(found.orElseThrow().text())
        .isEqualTo("    root = balanced(inserted(root, key, value));");
    assertThat(place("throw new IllegalStateException(\"the tree is ful: \" + size + \" nodes\");"))
        .isEqualTo("9-9");
  }

  @Test
  void refusesWhatDoesNotStandThere() {
    for (String invented :
        List.of(
            "",
            "...",
            "final class Bush {",
            "private static final int MOST_NODES = 4096;",
            "root = removed(root, key);",
            "/** Throws away what it is given, at random. */",
            "synchronized void put(String key) { lock.lock(); }",
            "} {")) {
      assertThat(place(invented)).as(invented).isEqualTo("nowhere");
    }
  }

  @Test
  void saysWhatStandsWhereAQuoteIsNot() {
    Quote wrong = new Quote("Tree.java", 12, 12, "size--;", 1);

    assertThat(lines.near(wrong, 3).orElseThrow().place())
        .isEqualTo("src/main/tree/Tree.java:11-13");
    assertThat(lines.near(new Quote("Bush.java", 1, 1, "x", 1), 3)).isEmpty();
  }
}
