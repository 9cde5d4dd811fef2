package dev.colony.examples.tour;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunId;
import dev.colony.examples.mapped.MappedTree;
import dev.colony.examples.mapped.PiecewisePolicy;
import dev.colony.examples.tour.TreeParts.Ranked;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the agent guides through a tree, with a scripted model over HTTP. */
class TourPolicyTest {

  private static String body(String type, String uses) {
    StringBuilder text =
        new StringBuilder("/** The %s of all. */\nclass %s {\n".formatted(type, type));
    for (int i = 0; i < 20; i++) {
      text.append("  int use%d() {\n    return new %s().size(%d);\n  }\n".formatted(i, uses, i));
    }
    return text.append("}\n").toString();
  }

  private static final Map<String, String> FILES =
      Map.of(
          "README.md", "# A tree\n",
          "src/main/core/Page.java", body("Page", "Page"),
          "src/main/core/Shelf.java", body("Shelf", "Page"),
          "src/main/web/Site.java", body("Site", "Page"),
          "src/main/web/Link.java", body("Link", "Site"),
          "src/test/core/PageTest.java", body("PageTest", "Page"));

  @Nested
  class WithAModel {

    @TempDir private Path directory;
    private final FakeModel model = FakeModel.start();
    private MappedTree tree;

    @BeforeEach
    void map() throws IOException {
      tree = MappedTree.of(directory, 600, FILES);
    }

    @AfterEach
    void verify() {
      model.close();
    }

    private static Tour tour(JsonNode output) {
      return PiecewisePolicy.read(output, Tour.class);
    }

    private void answers(FakeModel asked) {
      asked
          .expect(
              "The part: src/main/core, 2 files, most named by others: src/main/core/Page.java",
              "=== src/main/core/Page.java (lines 1-")
          .answer(
              Map.of(
                  "purpose",
                  "It keeps pages.",
                  "see",
                  List.of(
                      see("core/Page.java", 7, "class Page {"),
                      see("src/main/core/Page.java", 2, "class Book {"),
                      see("src/main/web/Site.java", 2, "class Site {"))));
      asked
          .expect("The part: ./*, 1 files, most named by others: README.md")
          .answer(Map.of("purpose", "", "see", List.of()));
      asked
          .expect("The part: src/test, 1 files")
          .answer(Map.of("purpose", "It tests.", "see", List.of()));
      asked
          .expect("The part: src/main/web, 2 files", "is used by")
          .answer(Map.of("purpose", "It shows them.", "see", List.of()));
    }

    private static Map<String, Object> see(String file, int line, String text) {
      return Map.of("file", file, "line", line, "text", text, "why", "all begins here");
    }

    private Map<String, Object> input(boolean judged) {
      return Map.of("map", tree.map(), "stops", 4, "judged", judged);
    }

    @Test
    void theModelSaysWhatAPartIsForAndWhatItMakesUpIsDropped() {
      answers(model);
      try (TestAgent agent = tree.agent("tour.json", model, KillPoint.never())) {
        Tour tour = tour(agent.run(input(true)).output());
        assertThat(tour.stops())
            .extracting(Tour.Stop::part)
            .containsExactlyInAnyOrder("src/main/core", "src/main/web", "./*", "src/test")
            .startsWith("src/main/core")
            .endsWith("src/test");
        Tour.Stop first = tour.stops().getFirst();
        assertThat(first.purpose()).isEqualTo("It keeps pages.");
        assertThat(first.see())
            .containsExactly(
                new Tour.Sight("src/main/core/Page.java", 2, "class Page {", "all begins here"));
        assertThat(first.ledFrom()).contains("src/main/web");
        assertThat(tour.dropped()).isEqualTo(2);
        assertThat(tour.passedBy()).isEmpty();
      }
    }

    @Test
    void whereverItDiesNothingIsAskedTwice() {
      KillPoint.walk(
          KillPoint.Side.AFTER,
          kill -> {
            try (FakeModel own = FakeModel.start()) {
              answers(own);
              try (TestAgent agent = tree.agent("tour.json", own, kill)) {
                RunId run = agent.ask(input(true));
                agent.settle();
                Tour tour = tour(agent.result(run).orElseThrow().output());
                assertThat(tour.stops()).hasSize(4);
              }
              assertThat(own.count()).isEqualTo(4);
            }
          });
    }

    @Test
    void withoutAModelItSaysWhatTheCommentsSay() {
      try (TestAgent agent = tree.agent("tour.json", model, KillPoint.never())) {
        List<String> lines = tour(agent.run(input(false)).output()).asLines();
        assertThat(lines.getFirst()).startsWith("1. src/main/core  2 files, ");
        assertThat(lines)
            .contains(
                "   read src/main/core/Page.java: The Page of all.",
                "        2  class Page {",
                "   used by: src/test, src/main/web",
                "   read README.md: A tree")
            .anyMatch(line -> line.startsWith("2. src/main/web  2 files, 126 lines, "));
      }
    }
  }

  @Test
  void theFirstCommentThatTellsSomethingIsTaken() {
    assertThat(
            FirstComment.of(
                "// Copyright 2026\n\n"
                    + "package a;\n"
                    + "/**\n"
                    + " * Keeps {@link Page}s. And more.\n"
                    + " *\n"
                    + " * @param a b\n"
                    + " */"))
        .isEqualTo("Keeps Pages.");
    assertThat(FirstComment.of("#!/bin/sh\n# Runs it\n# all\nx=1\n")).isEqualTo("Runs it all");
    assertThat(FirstComment.of("\"\"\"Reads pages.\n\nSlowly.\"\"\"\n")).isEqualTo("Reads pages.");
    assertThat(FirstComment.of("/** A page. @param size its size */")).isEqualTo("A page.");
    assertThat(FirstComment.of("int x;\n")).isEmpty();
  }

  @Test
  void aTreeIsCutWhereItWeighsMost() {
    List<Ranked> files =
        List.of(
            new Ranked("README.md", 10, 1),
            new Ranked("a/b/c/One.java", 10, 30),
            new Ranked("a/b/c/Two.java", 10, 20),
            new Ranked("a/b/d/Three.java", 10, 25),
            new Ranked("a/b/Four.java", 10, 5),
            new Ranked("e/Five.java", 10, 19));
    assertThat(TreeParts.of(files, 4))
        .extracting(part -> part.name() + " " + part.files().size())
        .containsExactly("a/b/c 2", "a/b/d 1", "e 1", "a/b/* 1", "* 1");
    assertThat(TreeParts.of(files, 1)).extracting(TreeParts.Part::name).containsExactly("");
    assertThat(TreeParts.of(List.of(), 3)).isEmpty();
  }

  @Property(tries = 300)
  void eachFileIsInOnePart(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 0, max = 80) Integer> places,
      @ForAll @IntRange(min = 1, max = 12) int most) {
    List<Ranked> files = new ArrayList<>();
    for (int place : places) {
      String path = "d%d/d%d/f%d.c".formatted(place % 3, place / 3 % 3, files.size());
      files.add(new Ranked(place % 7 == 0 ? "f%d.c".formatted(files.size()) : path, 1, place));
    }
    List<TreeParts.Part> parts = TreeParts.of(files, most);
    assertThat(parts.stream().flatMap(part -> part.files().stream()))
        .containsExactlyInAnyOrderElementsOf(files);
    assertThat(parts).extracting(TreeParts.Part::name).doesNotHaveDuplicates();
    assertThat(parts).isSortedAccordingTo((a, b) -> Double.compare(b.rank(), a.rank()));
  }
}
