package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.mapping.Declarations.Declaration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DeclarationsTest {

  private static final String LEDGER =
      """
      // Licensed to somebody under a licence.
      package bank;

      import java.util.List;

      /**
       * Holds accounts. It never loses one.
       *
       * @param <T> no matter
       */
      final class Ledger<T> {

        /** How many tries there are. */
        private static final int TRIES = 3;

        private int other;

      %s
        /** Moves {@code money} to another <b>account</b>. Blocks. */
        @Deprecated
        boolean transfer(
            int amount) {
          return amount > 0;
        }

        /** The most of a day. */
        private static final long LIMIT = 10;

        private static final class Entry {
          void close() {}
        }
      }
      """;

  private final List<String> lines =
      List.of(LEDGER.formatted("  void other() {\n    go();\n  }\n").split("\n"));

  @Test
  void aMemberIsOnePassageWithItsComment() {
    Declaration transfer = named("Ledger.transfer");

    assertThat(transfer.signature()).isEqualTo("boolean transfer(");
    assertThat(transfer.summary()).isEqualTo("Moves money to another account.");
    assertThat(lines.get(transfer.first())).contains("/** Moves");
    assertThat(lines.get(transfer.at())).contains("boolean transfer(");
    assertThat(lines.get(transfer.last())).isEqualTo("  }");
  }

  @Test
  void aTypesOwnLinesAreItsHeadAndItsOtherFields() {
    Declaration head = named("Ledger");

    assertThat(lines.get(head.first())).isEqualTo("/**");
    assertThat(lines.get(head.last())).contains("private int other");
    assertThat(head.signature()).isEqualTo("final class Ledger<T> {");
    assertThat(head.summary()).isEqualTo("Holds accounts.");
    assertThat(named("Ledger.LIMIT").signature())
        .isEqualTo("private static final long LIMIT = 10;");
    assertThat(named("Ledger.LIMIT").summary()).isEqualTo("The most of a day.");
  }

  @Test
  void aSmallTypeIsOnePassage() {
    Declaration entry = named("Ledger.Entry");

    assertThat(entry.last() - entry.first()).isEqualTo(2);
    assertThat(passages()).noneMatch(one -> one.symbol().endsWith("close"));
  }

  @Test
  void licencePackageAndImportsAreInNone() {
    String all =
        String.join(
            "\n",
            passages().stream()
                .flatMap(one -> lines.subList(one.first(), one.last() + 1).stream())
                .toList());

    assertThat(all).doesNotContain("Licensed", "package bank", "import java").contains("TRIES");
  }

  @Test
  void aLongMethodIsSeveralPassagesOfItsName() {
    List<String> body = Collections.nCopies(150, "    step();");
    List<String> text =
        Stream.of(
                List.of("class Long {", "  void run() {"),
                body,
                List.of("  }", "  int other() {", "    return 1;", "  }", "}"))
            .flatMap(List::stream)
            .toList();

    List<Declaration> runs =
        Declarations.of("Long.java", text).stream()
            .filter(one -> one.symbol().equals("Long.run"))
            .toList();

    assertThat(runs).hasSize(3);
    assertThat(runs.getFirst().first()).isEqualTo(1);
    assertThat(runs.getLast().last()).isEqualTo(152);
    assertThat(runs)
        .allMatch(one -> one.last() - one.first() < Declarations.MOST_LINES)
        .allMatch(one -> one.signature().equals("void run() {"));
  }

  @Test
  void aTextIsCutByItsHeadings() {
    List<String> text =
        List.of(
            "# Notes",
            "",
            "First words. More.",
            "",
            "```",
            "# no heading",
            "```",
            "## Limits ##",
            "At most ten.");

    List<Declaration> sections = Declarations.of("docs/notes.md", text);

    assertThat(sections).extracting(Declaration::symbol).containsExactly("Notes", "Limits");
    assertThat(sections)
        .extracting(Declaration::summary)
        .containsExactly("First words.", "At most ten.");
    assertThat(sections.getLast().first()).isEqualTo(7);
  }

  @Test
  void otherLanguagesHaveTheirOwnForms() {
    assertThat(
            symbols(
                "a.py",
                "class Box:",
                "    def open(self):",
                "        \"\"\"Opens it.\"\"\"",
                "        go()"))
        .containsExactly("Box");
    assertThat(symbols("a.go", "func (b *Box) Open() error {", "  return nil", "}"))
        .containsExactly("Box.Open");
    assertThat(symbols("a.rs", "impl Lid for Box {", "  fn open(&self) {", "  }", "}"))
        .containsExactly("Box", "Box.open");
    assertThat(symbols("a.txt", "some words", "in two lines")).containsExactly("");
    assertThat(symbols("a.properties", "threads = 10")).containsExactly("");
  }

  private static List<String> symbols(String path, String... text) {
    return Declarations.of(path, List.of(text)).stream().map(Declaration::symbol).toList();
  }

  private List<Declaration> passages() {
    return Declarations.of("bank/Ledger.java", lines);
  }

  private Declaration named(String symbol) {
    return passages().stream()
        .filter(one -> one.symbol().equals(symbol))
        .findFirst()
        .orElseThrow(() -> new AssertionError(passages().toString()));
  }
}
