package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.mapping.Excerpt.Line;
import dev.colony.vcm.mapping.FileSearch.Hit;
import dev.colony.vcm.mapping.FileSearch.Result;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceReading.FileText.Why;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FileSearchTest {

  private static final String FILLER = "  int value = other + another; // nothing to see\n";

  private static final String POOL =
      "/** Keeps connections. */\nclass Pool {\n\n"
          + FILLER.repeat(30)
          + "  /** Connections that are open at most. */\n"
          + "  private static final int MOST_CONNECTIONS = 40;\n\n"
          + "  /** Opens one connection. */\n  void open() {\n    support(connection);\n  }\n}\n";

  private static final Map<String, String> TREE =
      Map.of(
          "a/Pool.java",
          POOL,
          "b/Gate.java",
          "/** Lets visitors with a ticket through. */\nclass Gate {\n  void open() {}\n}\n"
              + FILLER.repeat(20),
          "docs/notes.md",
          "# Notes\n\nNothing here.\n\n## Watering\n\nBeds are watered at dawn.\n");

  private static Result search(Map<String, String> tree, String question, OptionalInt hits) {
    List<SourceFile> files = new ArrayList<>();
    tree.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(file -> files.add(SourceFile.of(file.getKey(), file.getValue())));
    return search(files, question, hits);
  }

  private static Result search(List<SourceFile> files, String question, OptionalInt hits) {
    return FileSearch.search(
        new SourceReading.Read("", files), question, hits, 2, SourceProgress.SILENT);
  }

  private static Result search(String question) {
    return search(TREE, question, OptionalInt.empty());
  }

  @Test
  void aPlaceHasItsSymbolItsLinesAndTheWordsThatMatched() {
    Result result = search("Where do visitors pass with their ticket?");

    Hit best = result.hits().getFirst();
    assertThat(best.file()).isEqualTo("b/Gate.java");
    assertThat(best.symbol()).isEqualTo("Gate");
    assertThat(best.line()).isEqualTo(2);
    assertThat(best.lines()).extracting(Line::number).containsExactly(1, 2);
    assertThat(best.matched()).containsExactly("visitors", "ticket");
    Line first = best.lines().getFirst();
    assertThat(first.highlights())
        .extracting(range -> first.text().substring(range.start(), range.end()))
        .containsExactly("visitors", "ticket");
    assertThat(result.files()).isEqualTo(3);
  }

  @Test
  void wordsThatOccurNowhereAreNamed() {
    String question = "Is there support for MongoDB?";
    assertThat(search(question).absent()).containsExactly("MongoDB");
    assertThat(search(question).hits()).as("nothing of it is left but support").isEmpty();
    assertThat(search(question).more()).isTrue();
    assertThat(search(TREE, question, OptionalInt.of(3)).hits()).isNotEmpty();
    assertThat(search("Where are visitors?").absent()).isEmpty();
    assertThat(search("zyzzyva").hits()).isEmpty();
  }

  @Test
  void aNumberThatIsAskedForIsShownWhereItIsDeclared() {
    Hit best = search("How many connections are open at most?").hits().getFirst();

    assertThat(best.symbol()).isEqualTo("Pool");
    assertThat(best.lines()).extracting(Line::text).anyMatch(line -> line.contains("= 40;"));
  }

  @Test
  void aConstantAllOfWhoseWordsAreAskedForComesFirst() {
    String fields = "  private int a;\n".repeat(8);
    String methods =
        "  /** Sets the size of the pool, the maximum. */\n  void setPoolSize(int size) {}\n"
            .repeat(4);
    Result found =
        search(
            Map.of(
                "Pool.java",
                "class Pool {\n%s  static final int DEFAULT_POOL_SIZE = 10;\n%s%s}\n"
                    .formatted(fields, fields, methods)),
            "What is the default maximum pool size?",
            OptionalInt.empty());

    assertThat(found.hits().getFirst().symbol()).isEqualTo("Pool.DEFAULT_POOL_SIZE");
    assertThat(found.hits().getFirst().lines()).hasSize(1);
  }

  @Test
  void textsAreFoundByTheirHeadings() {
    Hit best = search("When are the beds watered?").hits().getFirst();

    assertThat(best.file()).isEqualTo("docs/notes.md");
    assertThat(best.symbol()).isEqualTo("Watering");
  }

  @Test
  void placesThatFitEquallyAreSaidNotToStandOut() {
    Map<String, String> alike = new TreeMap<>();
    for (int i = 10; i < 50; i++) {
      alike.put("a/Bed" + i + ".java", "class Bed" + i + " {\n  void water() {}\n}\n");
    }
    assertThat(search(alike, "What is water?", OptionalInt.empty()).outstanding()).isFalse();
    assertThat(search("Where do visitors pass with their ticket?").outstanding()).isTrue();
  }

  @Test
  void asManyPlacesAsAreAskedForAreShown() {
    assertThat(search(TREE, "open", OptionalInt.of(1)).hits()).hasSize(1);
    assertThat(search(TREE, "open", OptionalInt.of(1)).more()).isTrue();
    assertThat(search(TREE, "open", OptionalInt.of(100)).more()).isFalse();
  }

  @Test
  void ofALongLineThePartWithTheWordIsShownInWholeCharacters() {
    String smile = "\uD83D\uDE00";
    String line = smile.repeat(500) + " the ticket " + smile.repeat(500);
    Line shown =
        search(Map.of("a.json", line), "ticket", OptionalInt.empty())
            .hits()
            .getFirst()
            .lines()
            .getFirst();

    assertThat(shown.text()).startsWith("…").endsWith("…").contains("ticket");
    assertThat(shown.text().length()).isLessThan(200);
    assertThat(shown.text().replace(smile, "").replace("…", "").strip()).isEqualTo("the ticket");
    assertThat(shown.text().substring(shown.highlights().getFirst().start())).startsWith("ticket");
  }

  @Test
  void pointersAreLeftOutAndGeneratedFilesComeLast() {
    Result result =
        search(
            List.of(
                SourceFile.of(
                    "a/vendor/Ticket.java", "class Ticket { // ticket ticket ticket\n}\n"),
                SourceFile.of(
                    "b/Gate.java", "class Gate {\n  // a ticket\n}\n" + FILLER.repeat(30)),
                new SourceFile("c/ticket.bin", "1", () -> new FileText.Left(Why.LFS_POINTER))),
            "ticket",
            OptionalInt.of(5));

    assertThat(result.hits())
        .extracting(Hit::file)
        .containsExactly("b/Gate.java", "a/vendor/Ticket.java");
    assertThat(result.generated()).isEqualTo(1);
    assertThat(result.left().line()).hasValue("left out 1 file: 1 Git LFS pointer");
  }
}
