package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageIndex.PageHit;
import dev.colony.vcm.mapping.PageIndex.PassageHit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PageIndexTest {

  private static final String FILLER = "  int value = other + another; // nothing to see\n";

  private final MappingResult.Mapped mapped =
      Fixtures.map(
          Map.of(
              "a/ShardAllocationStrategy.java",
              "interface ShardAllocationStrategy {\n  Node allocate(Shard shard);\n}\n"
                  + FILLER.repeat(20),
              "b/Gossip.java",
              "/** Spreads membership. */\nclass Gossip {\n  void merge(Gossip other) {}\n}\n"
                  + FILLER.repeat(20),
              "c/notes.md",
              "# Notes\n\nWhich nodes are allocated is said elsewhere.\n" + FILLER.repeat(20),
              "d/Long.java",
              FILLER.repeat(150) + "  int retry_count(HTTPServer server) { return 3; }\n"),
          new GroupingSettings(256, 4));
  private final PageIndex index = PageIndex.of(mapped.pages(), 2, 60);

  @Test
  void findsIdentifiersByTheirParts() {
    assertThat(firstFile("Where are shards allocated?"))
        .isEqualTo("a/ShardAllocationStrategy.java");
    assertThat(firstFile("how often is a request to the http server retried, what is the count"))
        .isEqualTo("d/Long.java");
  }

  /** Both have all the words; one has them as a name, in few of its many lines. */
  @Test
  void aNameThatIsSaidInItsPartsIsFoundWhereItStands() {
    MappingResult.Mapped both =
        Fixtures.map(
            Map.of(
                "a/Other.java",
                "// cleans what is left of the log; a log is cleaned by the cleaner of a log\n",
                "b/Use.java",
                FILLER.repeat(40) + "  LogCleaner one = null;\n" + FILLER.repeat(40)),
            new GroupingSettings(2_000, 4));
    PageIndex one = PageIndex.of(both.pages(), 1, 60);
    assertThat(
            one.search("what does the log cleaner do", 2).getFirst().passages().getFirst().file())
        .isEqualTo("b/Use.java");
  }

  @Test
  void findsIdentifiersWhole() {
    assertThat(firstFile("ShardAllocationStrategy")).isEqualTo("a/ShardAllocationStrategy.java");
    assertThat(firstFile("retry_count")).isEqualTo("d/Long.java");
  }

  @Test
  void findsOtherInflections() {
    assertThat(firstFile("Who merges memberships?")).isEqualTo("b/Gossip.java");
  }

  @Test
  void findsTheRightPageOfALargeFile() {
    PageId page = index.search("retry count", 1).getFirst().page();

    assertThat(page(page).text()).contains("retry_count");
  }

  @Test
  void ofAPageThePassagesWithWordsOfTheQuestionAreNamedBestFirst() {
    PageHit hit = index.search("retry count", 1).getFirst();

    PassageHit best = hit.passages().getFirst();
    assertThat(best.file()).isEqualTo("d/Long.java");
    assertThat(best.firstLine()).isLessThanOrEqualTo(151);
    assertThat(best.lastLine()).isEqualTo(151);
    assertThat(hit.passages())
        .isSortedAccordingTo((left, right) -> Double.compare(right.score(), left.score()));
  }

  @Test
  void aFileThatHasAllWordsComesBeforeOneThatHasOneOfThemOften() {
    PageIndex both =
        index(
            Map.of(
                "a/Gate.java",
                "class Gate {\n" + "  void open(Ticket ticket, Visitor visitor) {}\n" + "}\n",
                "b/Visitors.java",
                "class Visitors {\n" + "  Visitor visitor = visitor(visitor);\n".repeat(20) + "}\n",
                "c/Other.java",
                "class Other {\n" + FILLER.repeat(20) + "}\n"));
    assertThat(best(both, "Where does a visitor with a ticket pass the gate?"))
        .isEqualTo("a/Gate.java");
  }

  @Test
  void aWordAsItIsWrittenCountsMoreThanAnotherFormOfIt() {
    PageIndex both =
        index(
            Map.of(
                "a/Garden.java",
                "class Garden {\n  // One bed was watered.\n" + FILLER.repeat(3) + "}\n",
                "b/Garden.java",
                "class Garden {\n  // Many beds are watering.\n" + FILLER.repeat(3) + "}\n"));
    assertThat(best(both, "watered beds of the garden")).isEqualTo("a/Garden.java");
    assertThat(best(both, "watering beds of the garden")).isEqualTo("b/Garden.java");
  }

  @Test
  void theNameOfAFileIsOneOfItsWords() {
    PageIndex both =
        index(
            Map.of(
                "a/Watering.java",
                "class Rain {\n  void fall(Bed bed) {}\n" + FILLER.repeat(3) + "}\n",
                "b/Bed.java",
                "class Soil {\n  void fall(Bed bed) {}\n" + FILLER.repeat(3) + "}\n"));
    assertThat(best(both, "watering")).isEqualTo("a/Watering.java");
  }

  @Test
  void aGeneratedFileCountsHalf() {
    String text = "class %s {\n  void waterTheFlowerBeds() {}\n  void rest() {}\n}\n";
    PageIndex both =
        index(
            Map.of(
                "a/Beds.java",
                "// THIS CODE IS AUTOMATICALLY GENERATED.  DO NOT EDIT.\n" + text.formatted("Beds"),
                "b/Beds.java",
                "// How flower beds are kept, by those who keep them.\n" + text.formatted("Beds")));
    assertThat(best(both, "Where are flower beds watered?")).isEqualTo("b/Beds.java");
  }

  @Test
  void passagesAreWhatFilesDeclare() {
    PassageHit best = index.passages(List.of("Who merges memberships?"), 5).getFirst();

    assertThat(best.file()).isEqualTo("b/Gossip.java");
    assertThat(best.symbol()).isEqualTo("Gossip");
    assertThat(best.signature()).isEqualTo("class Gossip {");
    assertThat(best.summary()).isEqualTo("Spreads membership.");
    assertThat(best.firstLine()).isEqualTo(1);
    assertThat(best.page()).isEqualTo(index.search("Who merges memberships?", 1).getFirst().page());
    assertThat(index.passages(List.of("zyzzyva"), 5)).isEmpty();
    assertThat(index.passages(List.of("value of another shard"), 3)).hasSize(3);
  }

  @Test
  void aNameThatStandsInTheQuestionWins() {
    String often = "  // The bed, the bed and the water: open the water.\n".repeat(20);
    PageIndex both =
        index(
            Map.of(
                "a/Garden.java",
                "class Garden {\n" + often + "}\n",
                "b/Shed.java",
                "class Shed {\n" + FILLER.repeat(25) + "  void openWater() {}\n}\n"));
    for (String question :
        List.of("What does openWater do to a bed?", "How is the bed's open water kept?")) {
      assertThat(both.passages(List.of(question), 5).getFirst().symbol())
          .isEqualTo("Shed.openWater");
    }
    assertThat(both.passages(List.of("Is water in the bed?"), 5).getFirst().file())
        .isEqualTo("a/Garden.java");
  }

  private static PageIndex index(Map<String, String> files) {
    return PageIndex.of(Fixtures.map(files, new GroupingSettings(256, 4)).pages(), 1, 60);
  }

  private static String best(PageIndex index, String question) {
    return index.search(question, 5).stream()
        .flatMap(hit -> hit.passages().stream())
        .max(Comparator.comparingDouble(PassageHit::score))
        .orElseThrow()
        .file();
  }

  @Test
  void hitsAreOrderedDistinctAndLimited() {
    List<PageHit> hits = index.search("value of another shard", 5);

    assertThat(hits).hasSize(5);
    assertThat(hits).extracting(PageHit::page).doesNotHaveDuplicates();
    assertThat(hits)
        .isSortedAccordingTo((left, right) -> Double.compare(right.score(), left.score()));
    assertThat(index.search("value of another shard", 2)).hasSize(2);
  }

  @Test
  void findsNothingWhereNoWordTells() {
    assertThat(index.search("What is it that would be?", 5)).isEmpty();
    assertThat(index.search("", 5)).isEmpty();
    assertThat(index.search("zyzzyva", 5)).isEmpty();
    assertThatThrownBy(() -> index.search("shard", 0)).hasMessageContaining("limit is 0");
  }

  @Test
  void aPastedTextIsAQuestionToo() {
    String pasted = String.join(" ", IntStream.range(0, 5000).mapToObj(i -> "word" + i).toList());

    assertThat(index.search("gossip " + pasted, 3)).isNotEmpty();
  }

  @Test
  void answersManyAtOnceAlike() {
    List<PageHit> alone = index.search("Where are shards allocated?", 3);

    List<List<PageHit>> together =
        Parallel.map(
            4,
            IntStream.range(0, 200).boxed().toList(),
            i -> index.search("Where are shards allocated?", 3));

    assertThat(together).containsOnly(alone);
  }

  private String firstFile(String question) {
    return page(index.search(question, 1).getFirst().page()).segments().getFirst().file();
  }

  private VirtualContextPage page(PageId id) {
    return mapped.pages().stream().filter(page -> page.id().equals(id)).findFirst().orElseThrow();
  }
}
