package dev.colony.library.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentException;
import dev.colony.library.page.Definitions.Outline;
import dev.colony.library.page.Definitions.Symbol;
import dev.colony.library.page.Dependents.Usages;
import dev.colony.library.page.Grep.PathGlob;
import dev.colony.library.page.SourceTree.Mentioned;
import dev.colony.library.page.Spans.Reading;
import dev.colony.library.page.Spans.Span;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceTreeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*.java|src/a/Tree.java|true",
        "*.java|Tree.java|true",
        "*.java|src/a/Tree.javac|false",
        "src/a|src/a/Tree.java|true",
        "src/a/|src/a/b/Tree.java|true",
        "src|lib/src/a.c|true",
        "./src/a|src/a/Tree.java|true",
        "src/*.java|src/a/Tree.java|false",
        "src/*|src/Tree.java|true",
        "src/*|src/a/Tree.java|false",
        "./*|README.md|true",
        "./*|src/README.md|false",
        "./src|lib/src/a.c|false",
        "src/**/*.java|src/Tree.java|true",
        "src/**/*.java|src/a/b/Tree.java|true",
        "**/*.{c,h}|a/b.h|true",
        "**/*.{c,h}|a/b.go|false",
        "src/a?.c|src/ab.c|true",
        "src/a.c|src/a+c|false",
        "'' |any/thing|true",
        ".|any/thing|true",
        "a+b(c|a+b(c|true",
      })
  void globs(String glob, String path, boolean fits) {
    assertThat(PathGlob.of(glob).test(path)).isEqualTo(fits);
  }

  @Test
  void aFileIsPutTogetherFromItsPages() {
    SourceTree tree =
        SourceTree.of(
            List.of(
                Trees.page(1, "a.txt", 4, "four\nfive"),
                Trees.page(0, "a.txt", 1, "one\ntwo\nthree"),
                Trees.page(2, "a.txt", 9, "nine")));
    MappedText file = tree.files().getFirst();
    assertThat(file.text()).isEqualTo("one\ntwo\nthree\nfour\nfive\nnine\n");
    assertThat(file.number(5)).isEqualTo(9);
    assertThat(file.page(3)).isEqualTo(Trees.id(1));
    Spans read = Reading.of(file, 2, 10, 400, 10_000, 400);
    assertThat(Trees.places(read.spans())).containsExactly("a.txt:2-5", "a.txt:9");
    assertThat(read.leftOut()).isZero();
    assertThat(read.note()).isEqualTo("a.txt has 6 lines");
  }

  @Test
  void aReadingIsBoundedAndSaysWhatIsLeftOut() {
    MappedText file = Trees.of(Map.of("a.txt", "line of ten\n".repeat(100))).files().getFirst();
    Spans lines = Reading.of(file, 11, 60, 20, 10_000, 400);
    assertThat(Trees.places(lines.spans())).containsExactly("a.txt:11-30");
    assertThat(lines.found()).isEqualTo(50);
    assertThat(lines.leftOut()).isEqualTo(30);
    Spans chars = Reading.of(file, 1, 100, 400, 60, 400);
    assertThat(Trees.places(chars.spans())).containsExactly("a.txt:1-5");
    assertThat(chars.leftOut()).isEqualTo(95);
    assertThat(Reading.of(file, 200, 300, 20, 100, 400).spans()).isEmpty();
  }

  @Test
  void aPathMayLackItsBeginningOrHaveTooMuch() {
    SourceTree tree =
        Trees.of(Map.of("src/a/Tree.java", "x", "src/b/Tree.java", "x", "src/b/Leaf.java", "x"));
    assertThat(named(tree, "b/Tree.java")).isEqualTo("src/b/Tree.java");
    assertThat(named(tree, "Leaf.java")).isEqualTo("src/b/Leaf.java");
    assertThat(named(tree, "/trees/src/b/Leaf.java")).isEqualTo("src/b/Leaf.java");
    assertThat(tree.named("Tree.java"))
        .isEqualTo(new SourceTree.Named.Unclear(List.of("src/a/Tree.java", "src/b/Tree.java")));
    assertThat(tree.named("c/Leaf.java"))
        .isEqualTo(new SourceTree.Named.Unclear(List.of("src/b/Leaf.java")));
    assertThat(tree.named("")).isEqualTo(new SourceTree.Named.Unclear(List.of()));
  }

  private static String named(SourceTree tree, String path) {
    return ((SourceTree.Named.File) tree.named(path)).file().path();
  }

  @ParameterizedTest
  @CsvSource({
    "src/test/java/A.java,true", "a/TreeTest.java,true", "test_tree.py,true", "tree_test.go,true",
    "web/tree.spec.ts,true", "src/main/java/Latest.java,false", "contest/a.c,false",
        "a/Tree.java,false"
  })
  void filesOfTestsAreKnownByTheirPaths(String path, boolean test) {
    assertThat(SourceTree.isTest(path)).isEqualTo(test);
  }

  @Test
  void matchesThatTouchAreOneSpan() {
    SourceTree tree =
        Trees.of(Map.of("a.c", "int a;\nint b;\n\n\nint c;\nfloat d;\n", "b.c", "INT x;\n"));
    assertThat(grep(tree, "^int", false, 0)).containsExactly("a.c:1-2", "a.c:5");
    assertThat(grep(tree, "^int", false, 1)).containsExactly("a.c:1-6");
    assertThat(grep(tree, "^int", true, 0)).containsExactly("a.c:1-2", "a.c:5", "b.c:1");
    assertThat(grep(tree, "b;\\s+int", false, 0)).containsExactly("a.c:2-5");
    assertThat(grep(tree, ";$", false, 0)).containsExactly("a.c:1-2", "a.c:5-6", "b.c:1");
    assertThat(grep(tree, "", false, 0)).containsExactly("a.c:1-6", "b.c:1");
    assertThat(grep(tree, "nothing", false, 0)).isEmpty();
  }

  @Test
  @Timeout(60)
  void noPatternTakesMoreThanLinearTime() {
    SourceTree tree = Trees.of(Map.of("a.txt", "a".repeat(100_000) + "b\n"));
    assertThat(grep(tree, "(a+)+$", false, 0)).isEmpty();
    assertThat(grep(tree, "(a|aa)*c", false, 0)).isEmpty();
  }

  @Test
  void whatIsNoPatternIsRefused() {
    assertThatThrownBy(() -> new Grep("(a", false, 0, 400))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("the pattern (a is no regular expression of RE2")
        .hasMessageContaining("missing closing )");
    assertThatThrownBy(() -> new Grep("a(?=b)", false, 0, 400)).isInstanceOf(AgentException.class);
  }

  private static List<String> grep(
      SourceTree tree, String pattern, boolean ignoreCase, int context) {
    return Trees.places(new Grep(pattern, ignoreCase, context, 400).in(tree.files()));
  }

  @Test
  void usagesAreRankedAndEachFileHasItsTurn() {
    SourceTree tree =
        Trees.of(
            Map.of(
                "a/Tree.java", "class Tree {\n  int merge(int a) {\n    return a;\n  }\n}\n",
                "a/Use.java",
                    "import a.Tree;\n"
                        + "// calls merge\n"
                        + "class Use {\n"
                        + "  int x = tree.merge(1);\n"
                        + "  int y = merge(2);\n"
                        + "  int mergeAll;\n"
                        + "}\n",
                "a/Zed.java", "class Zed {\n  Runnable r = Tree::merge;\n}\n",
                "test/TreeTest.java", "class TreeTest {\n  int x = tree.merge(1);\n}\n",
                "notes.md", "The merge of two.\n"));
    List<Span> usages = new Usages(tree).of(Symbol.of("merge").orElseThrow(), 400);
    assertThat(Trees.places(usages))
        .containsExactly(
            "a/Use.java:4",
            "a/Zed.java:2",
            "test/TreeTest.java:2",
            "notes.md:1",
            "a/Use.java:5",
            "a/Use.java:2");
    assertThat(usages)
        .extracting(Span::kind)
        .containsExactly("call", "call", "call", "reference", "call", "comment");
    assertThat(new Usages(tree).of(Symbol.of("Tree").orElseThrow(), 400))
        .extracting(Span::kind)
        .containsExactly("reference", "import");
  }

  private static final Map<String, String> CHAIN =
      Map.of(
          "a/Page.java", "class Page {\n  int size() {\n    return 1;\n  }\n}\n",
          "a/Shelf.java",
              "import a.Page;\n"
                  + "class Shelf {\n"
                  + "  int width() {\n"
                  + "    return page.size() + 1;\n"
                  + "  }\n"
                  + "}\n",
          "a/Room.java",
              "class Room {\n"
                  + "  // width is small\n"
                  + "  int wall() {\n"
                  + "    return shelf.width();\n"
                  + "  }\n"
                  + "}\n",
          "a/House.java", "class House {\n  int area() {\n    return room.wall();\n  }\n}\n",
          "test/ShelfTest.java",
              "class ShelfTest {\n  void tests() {\n    check(shelf.width());\n  }\n}\n");

  private static Dependents.Result dependents(Map<String, String> files, int depth, int sites) {
    return Dependents.of(
        Trees.of(files),
        Symbol.of("size").orElseThrow(),
        new Dependents.Bounds(depth, sites, 10_000, 1, 400));
  }

  @Test
  void dependentsAreFollowedThroughTheFunctionsAroundThem() {
    Dependents.Result two = dependents(CHAIN, 2, 10);
    assertThat(two.sites())
        .extracting(
            one -> one.distance() + " " + one.uses() + " " + one.within() + ":" + one.line())
        .containsExactly("1 size width:4", "2 width wall:4", "2 width tests:3");
    assertThat(two.sites().getFirst().span().place()).isEqualTo("a/Shelf.java:3-5");
    assertThat(two.tests()).containsExactly("test/ShelfTest.java");
    assertThat(dependents(CHAIN, 1, 10).sites()).hasSize(1);
    assertThat(dependents(CHAIN, 5, 10).sites()).hasSize(4);
    assertThat(dependents(CHAIN, 5, 3).leftOut()).isEqualTo(1);
  }

  @Test
  void aNameOfManyThingsIsNotFollowed() {
    Map<String, String> files = new TreeMap<>(CHAIN);
    for (String other : List.of("A", "B", "C")) {
      files.put("b/" + other + ".java", "class " + other + " {\n  int width() {\n  }\n}\n");
    }
    Dependents.Result result = dependents(files, 5, 10);
    assertThat(result.sites()).extracting(Dependents.Dependent::distance).containsExactly(1);
    assertThat(result.notFollowed()).containsExactly("width");
  }

  @Test
  void filesThatOthersNameComeFirst() {
    Map<String, String> files = new TreeMap<>(CHAIN);
    files.put("a/use.py", "import paths\nnote = 'any page'\n");
    files.put("a/paths.py", "use = 1\n");
    files.put("b/Page.java", "Shelf shelf;\n");
    Mentioned.Result all = Mentioned.of(Trees.of(files), path -> true, 20);
    assertThat(all.files())
        .extracting(file -> file.path() + " " + file.mentions())
        .containsExactly(
            "a/Shelf.java 1.0",
            "a/paths.py 1.0",
            "a/Page.java 0.5",
            "b/Page.java 0.5",
            "a/House.java 0.0",
            "a/Room.java 0.0",
            "a/use.py 0.0",
            "test/ShelfTest.java 0.0");
    Mentioned.Result some = Mentioned.of(Trees.of(files), PathGlob.of("b"), 20);
    assertThat(some.files()).extracting(Mentioned.FileEntry::path).containsExactly("b/Page.java");
    assertThat(Mentioned.of(Trees.of(files), path -> true, 2).found()).isEqualTo(8);
  }

  @Test
  void anOutlineSaysWhatIsAroundALine() {
    MappedText file = Trees.of(CHAIN).files().get(2);
    Outline outline = Outline.of(file);
    assertThat(outline.parts())
        .extracting(part -> part.definition().name() + ":" + part.last())
        .containsExactly("Room:5", "wall:4");
    assertThat(outline.around(3)).map(Definitions.Definition::name).hasValue("wall");
    assertThat(outline.around(1)).map(Definitions.Definition::name).hasValue("Room");
    assertThat(Outline.of(Trees.of(CHAIN).files().get(3)).around(0)).isEmpty();
  }

  @Test
  void whatDoesNotFitIsCounted() {
    List<Span> all =
        List.of(
            new Span("a", 1, 1, "x".repeat(50), "match", "p"),
            new Span("b", 1, 1, "x".repeat(50), "match", "p"),
            new Span("b", 7, 7, "x", "match", "p"));
    Spans within = Spans.within(all, 10, 60, "");
    assertThat(Trees.places(within.spans())).containsExactly("a:1");
    assertThat(within.leftOut()).isEqualTo(2);
    assertThat(within.found()).isEqualTo(3);
    assertThat(within.others()).isEqualTo(Map.of("b", 2));
    assertThat(Spans.within(all, 2, 1_000, "").others()).isEqualTo(Map.of("b", 1));
    assertThat(Spans.within(all, 2, 10, "").spans()).as("one is shown in any case").hasSize(1);
  }
}
