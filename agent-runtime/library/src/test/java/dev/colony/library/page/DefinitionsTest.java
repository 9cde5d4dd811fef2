package dev.colony.library.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.library.page.Definitions.Definition;
import dev.colony.library.page.Definitions.Symbol;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefinitionsTest {

  private static List<Definition> of(SourceTree tree, String symbol) {
    return new Definitions(tree).of(Symbol.of(symbol).orElseThrow());
  }

  /** File, its line, the symbol and what it is there; {@code -} for no definition. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "A.java|public final class Merge<T> extends Base {|Merge|TYPE",
        "A.java|public record Span(String file, int line) {}|Span|TYPE",
        "A.java|sealed interface Named {|Named|TYPE",
        "A.java|@Registered(\"x\") public @interface Param {|Param|TYPE",
        "A.java|  public static <T> Map<String, List<T>> merge(List<T> a, int b) {|merge|FUNCTION",
        "A.java|  void sortRuns() throws IOException {|sortRuns|FUNCTION",
        "A.java|  Optional<PageGroup> group(PageGroupId id);|group|FUNCTION",
        "A.java|  @Override public int[] sizes() {|sizes|FUNCTION",
        "A.java|  Merge(int runs) {|Merge|FUNCTION",
        "A.java|  private static final int MOST_RUNS = 12;|MOST_RUNS|VARIABLE",
        "A.java|    return merge(a, b);|merge|-",
        "A.java|    merge(a, b);|merge|-",
        "A.java|    Tree tree = merge(a, b);|merge|-",
        "A.java|    if (merge(a, b)) {|merge|-",
        "A.java|    } else if (merge(a, b)) {|merge|-",
        "A.java|        first, merge(a, b),|merge|-",
        "A.java|    new Merge(3);|Merge|-",
        "A.java|    throw new Merge(3);|Merge|-",
        "A.java|import dev.colony.Merge;|Merge|-",
        "A.java| * class Merge is old|Merge|-",
        "A.java|// void merge(int a) {|merge|-",
        "A.kt|data class Page(val id: String)|Page|TYPE",
        "A.kt|    override suspend fun <T> List<T>.merge(other: T): Int {|merge|FUNCTION",
        "A.kt|  private lateinit var runs: Runs|runs|VARIABLE",
        "A.scala|private[colony] final case class Page(id: String)|Page|TYPE",
        "A.scala|  implicit def toPage(s: String): Page = Page(s)|toPage|FUNCTION",
        "a.py|class Page(Base):|Page|TYPE",
        "a.py|    async def merge(self, a, b):|merge|FUNCTION",
        "a.py|MOST_RUNS = 12|MOST_RUNS|VARIABLE",
        "a.py|    if MOST_RUNS == 12:|MOST_RUNS|-",
        "a.py|    x = merge(a)|merge|-",
        "a.go|type Page struct {|Page|TYPE",
        "a.go|func (p *Page) Merge(a int) error {|Merge|FUNCTION",
        "a.go|func Map[T any](a []T) []T {|Map|FUNCTION",
        "a.go|\tMostRuns = 12|MostRuns|VARIABLE",
        "a.c|#define MOST_RUNS 12|MOST_RUNS|CONSTANT",
        "a.c|struct page {|page|TYPE",
        "a.c|} page_t;|page_t|TYPE",
        "a.c|static int merge_runs(struct run *a,|merge_runs|FUNCTION",
        "a.c|sdsnew(const char *init) {|sdsnew|FUNCTION",
        "a.h|int merge_runs(struct run *a, int n);|merge_runs|DECLARATION",
        "a.c|  merge_runs(a, 3);|merge_runs|-",
        "a.c|  return merge_runs(a, 3);|merge_runs|-",
        "a.cpp|void Tree::merge(int a) {|merge|FUNCTION",
        "a.ts|export default class Page {|Page|TYPE",
        "a.ts|export async function merge(a: number) {|merge|FUNCTION",
        "a.js|const merge = (a, b) => a + b;|merge|FUNCTION",
        "a.js|  async merge(a, b) {|merge|FUNCTION",
        "a.js|  if (merge(a)) {|merge|-",
        "a.js|Page.prototype.merge = function (a) {|merge|FUNCTION",
        "a.js|let runs = 3;|runs|VARIABLE",
        "a.rs|pub(crate) async fn merge<T>(a: T) -> T {|merge|FUNCTION",
        "a.rs|pub struct Page<'a> {|Page|TYPE",
        "a.rb|  def self.merge(a)|merge|FUNCTION",
        "a.sh|merge_runs() {|merge_runs|FUNCTION",
        "a.sh|export MOST_RUNS=12|MOST_RUNS|VARIABLE",
        "a.conf|    max-runs = 12|max-runs|SETTING",
        "a.yaml|  maxRuns: 12|maxRuns|SETTING",
        "a.sql|CREATE TABLE pages (|pages|TYPE",
        "a.java|    mergeAll(a);|merge|-",
      })
  void whatALineDefines(String file, String line, String symbol, String kind) {
    List<Definition> found = of(Trees.of(Map.of(file, line.replace("\\t", "\t"))), symbol);
    if (kind.equals("-")) {
      assertThat(found).isEmpty();
    } else {
      assertThat(found).singleElement().extracting(one -> one.kind().name()).isEqualTo(kind);
    }
  }

  @Test
  void constantsOfAnEnumAreKnownByItsHead() {
    SourceTree tree =
        Trees.of(
            Map.of(
                "State.java",
                "enum State {\n  /** Out. */\n  ABSENT,\n  RESIDENT(3);\n}\n",
                "Use.java",
                "class Use {\n"
                    + "  void go() {\n"
                    + "    run(\n"
                    + "        ABSENT,\n"
                    + "        3);\n"
                    + "  }\n"
                    + "}\n"));
    assertThat(of(tree, "ABSENT"))
        .singleElement()
        .extracting(one -> one.file().path())
        .isEqualTo("State.java");
    assertThat(of(tree, "RESIDENT")).hasSize(1);
  }

  @Test
  void theLikeliestComesFirst() {
    SourceTree tree =
        Trees.of(
            Map.of(
                "src/test/java/Page.java", "class Page {}\n",
                "src/main/java/other/Shelf.java", "class Shelf {\n  record Page() {}\n}\n",
                "src/main/java/Page.java", "/** One. */\npublic record Page() {}\n",
                "src/main/java/Pages.java", "class Pages {\n  Page Page(int a) {\n  }\n}\n"));
    assertThat(of(tree, "Page"))
        .extracting(one -> one.file().path())
        .containsExactly(
            "src/main/java/Page.java",
            "src/main/java/other/Shelf.java",
            "src/test/java/Page.java",
            "src/main/java/Pages.java");
  }

  @Test
  void aQualifierChoosesAmongThem() {
    SourceTree tree =
        Trees.of(
            Map.of(
                "Tree.java", "class Tree {\n  int size() {\n    return 1;\n  }\n}\n",
                "Page.java",
                    "class Page {\n"
                        + "  int size() {\n"
                        + "    return 2;\n"
                        + "  }\n"
                        + "}\n"
                        + "class Leaf {\n"
                        + "  int weight() {\n"
                        + "    return 1;\n"
                        + "  }\n"
                        + "}\n",
                "tree.cpp", "int Forest::size() {\n}\n"));
    assertThat(of(tree, "Tree.size"))
        .extracting(one -> one.file().path())
        .containsExactly("Tree.java");
    assertThat(of(tree, "Leaf#weight()")).extracting(Definition::at).containsExactly(6);
    assertThat(of(tree, "Forest::size"))
        .extracting(one -> one.file().path())
        .containsExactly("tree.cpp");
    assertThat(of(tree, "Nowhere.size")).as("a qualifier that fits none is left out").hasSize(3);
  }

  @Test
  void aDefinitionReachesFromItsCommentToItsEnd() {
    String java =
        """
        class Tree {

          /**
           * Merges {braces.
           */
          @Override
          public int merge(
              int a, String b) {
            if (b.equals("}")) { // }
              return 1;
            }
            return '}';
          }

          abstract int next();

          int last = 3;
        }
        """;
    String python =
        """
        @cached
        def merge(a,
                  b):
            if a:

                return 1
            return 2

        def other():
            pass
        """;
    SourceTree tree = Trees.of(Map.of("Tree.java", java, "tree.py", python));
    assertThat(Trees.places(of(tree, "merge").stream().map(one -> one.span(80, 400)).toList()))
        .containsExactly("tree.py:1-7", "Tree.java:3-13");
    assertThat(of(tree, "next").getFirst().span(80, 400).place()).isEqualTo("Tree.java:15");
    assertThat(of(tree, "Tree").getFirst().span(5, 400).place())
        .as("cut to five lines")
        .isEqualTo("Tree.java:1-5");
  }

  @Test
  void aFileSaysWhatItDefines() {
    String java =
        "package a;\n"
            + "class Tree {\n"
            + "  // int old() {\n"
            + "  int merge(int a) {\n"
            + "    return run(a);\n"
            + "  }\n"
            + "  record Leaf(int a) {}\n"
            + "}\n";
    MappedText file = Trees.of(Map.of("Tree.java", java)).files().getFirst();
    assertThat(Definitions.in(file))
        .extracting(Definition::name)
        .containsExactly("Tree", "merge", "Leaf");
  }
}
