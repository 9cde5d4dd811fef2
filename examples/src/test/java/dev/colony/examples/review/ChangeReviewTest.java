package dev.colony.examples.review;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.examples.mapped.MappedTree;
import dev.colony.examples.mapped.PiecewisePolicy;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import dev.colony.vcm.source.git.GitDiff;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.api.Git;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the agent finds in a change, with a scripted model over HTTP. */
class ChangeReviewTest {

  private static final List<String> RULES =
      List.of(
          "What is opened is closed.",
          "Nothing is left half done: no `/\\bTODO\\b/`.",
          "Be polite.");

  @TempDir private Path directory;
  private final FakeModel model = FakeModel.start();
  private MappedTree tree;
  private List<GitDiff.FileChange> change;

  @BeforeEach
  void change() throws Exception {
    write("a/Page.java", "class Page {\n  int size() {\n    return 1;\n  }\n}\n");
    write("a/Shelf.java", "class Shelf {\n  int width() {\n    return page.size();\n  }\n}\n");
    write("old.txt", "old\n");
    try (Git git = Git.init().setDirectory(directory.toFile()).call()) {
      git.add().addFilepattern(".").call();
      git.commit().setMessage("Begin").setAuthor("Ada", "a@b").setSign(false).call();
    }
    write(
        "a/Page.java",
        "class Page {\n"
            + "  int size() {\n"
            + "    var in = open(file); // TODO close it\n"
            + "    return in.size();\n"
            + "  }\n"
            + "}\n");
    write("a/New.java", "class New {}\n");
    Files.write(directory.resolve("a.bin"), new byte[] {0, 1});
    Files.delete(directory.resolve("old.txt"));
    change = ((GitDiff.Result.Changed) GitDiff.of(directory, "HEAD", 6)).files();
    tree = MappedTree.of(directory, 1_000, Map.of());
  }

  @AfterEach
  void verify() {
    model.close();
  }

  private void write(String file, String text) throws IOException {
    Path path = directory.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private ChangeInput input(boolean judged) {
    ChangeInput.Parts parts = ChangeInput.of(tree.map(), judged, RULES, change);
    assertThat(parts.notReviewed())
        .containsExactly(new ChangeReport.NotReviewed("a.bin", "is no text"));
    assertThat(parts.runs()).hasSize(1);
    return parts.runs().getFirst();
  }

  private static Map<String, Object> finding(int rule, String file, int line, String text) {
    return Map.of(
        "rule",
        rule,
        "file",
        file,
        "line",
        line,
        "text",
        text,
        "problem",
        "it leaks",
        "severity",
        "high");
  }

  private void answers(FakeModel asked) {
    asked
        .expect(
            "1. What is opened is closed.",
            "--- a/Page.java (changed)",
            "+3     var in = open(file); // TODO close it",
            "--- old.txt (deleted)",
            "Used outside of the change:\nsize of a/Page.java: a/Shelf.java:3")
        .answer(
            Map.of(
                "findings",
                List.of(
                    // another number, other blanks, a shortened path
                    finding(1, "Page.java", 9, "var in = open(file);  // TODO close it"),
                    finding(1, "a/Page.java", 3, "var in = close(file);"),
                    finding(9, "a/Page.java", 4, "    return in.size();"),
                    finding(3, "a/Shelf.java", 3, "    return page.size();"))));
  }

  private static ChangeReport report(AgentRun run) {
    return PiecewisePolicy.read(run.output(), ChangeReport.class);
  }

  @Test
  void findingsAreHeldAgainstTheChangeAndOthersAreDropped() {
    answers(model);
    try (TestAgent agent = tree.agent("change-review.json", model, KillPoint.never())) {
      ChangeReport report = report(agent.run(input(true)));
      assertThat(report.findings())
          .extracting(one ->
              "%s:%d %d %s %s"
                  .formatted(one.file(), one.line(), one.rule(), one.severity(), one.by()))
          .containsExactly("a/Page.java:3 1 HIGH model", "a/Page.java:3 2 MEDIUM pattern");
      assertThat(report.findings().getFirst().text())
          .isEqualTo("    var in = open(file); // TODO close it");
      assertThat(report.dropped())
          .as(
              "a line that does not stand there, a rule that there is not, a file that did not"
                  + " change")
          .isEqualTo(3);
      assertThat(report.reviewed()).isEqualTo(3);
      assertThat(report.elsewhere())
          .containsExactly(new ChangeReport.Use("size", "a/Page.java", "a/Shelf.java:3"));
    }
  }

  @Test
  void aFileThatNoModelAnswersForIsNotReviewed() {
    List<GitDiff.FileChange> large = new ArrayList<>(change);
    large.add(file("b/Long.java", 900));
    large.add(file("b/Longer.java", 5_000));
    ChangeInput.Parts parts = ChangeInput.of(tree.map(), true, RULES, large);
    assertThat(parts.notReviewed())
        .extracting(ChangeReport.NotReviewed::file)
        .containsExactly("a.bin", "b/Longer.java");
    model.expect("--- a/Page.java").answer(Map.of("findings", List.of()));
    model.expect("--- b/Long.java").fail(400);
    try (TestAgent agent = tree.agent("change-review.json", model, KillPoint.never())) {
      ChangeReport report = report(agent.run(parts.runs().getFirst()));
      assertThat(report.reviewed()).isEqualTo(3);
      assertThat(report.notReviewed())
          .singleElement()
          .satisfies(one -> {
            assertThat(one.file()).isEqualTo("b/Long.java");
            assertThat(one.reason()).contains("400");
          });
    }
  }

  private static GitDiff.FileChange file(String path, int lines) {
    List<GitDiff.Line> added = new ArrayList<>();
    for (int i = 1; i <= lines; i++) {
      added.add(new GitDiff.Line(GitDiff.Side.ADDED, i, "int a" + i + ";"));
    }
    return new GitDiff.FileChange(path, path, "A", List.of(added), false);
  }

  @Test
  void aLargeChangeTakesSeveralRuns() {
    List<GitDiff.FileChange> files = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      files.add(file("b/Long" + i + ".java", 1_200));
    }
    ChangeInput.Parts parts = ChangeInput.of("m", true, RULES, files);
    assertThat(parts.runs().size()).isEqualTo(2);
    assertThat(parts.runs().stream().mapToInt(run -> run.files().size()).sum()).isEqualTo(4);
  }

  @Test
  void whereverItDiesNothingIsAskedTwice() {
    KillPoint.walk(
        KillPoint.Side.AFTER,
        kill -> {
          try (FakeModel own = FakeModel.start()) {
            answers(own);
            try (TestAgent agent = tree.agent("change-review.json", own, kill)) {
              RunId run = agent.ask(input(true));
              agent.settle();
              assertThat(report(agent.result(run).orElseThrow()).findings()).hasSize(2);
            }
            assertThat(own.count()).isEqualTo(1);
          }
        });
  }

  @Test
  void withoutAModelRulesWithAPatternAreApplied() {
    try (TestAgent agent = tree.agent("change-review.json", model, KillPoint.never())) {
      ChangeReport report = report(agent.run(input(false)));
      assertThat(report.lines())
          .containsExactly(
              ": 3 files reviewed, 1 findings",
              "medium  a/Page.java:3  the line fits the rule's pattern",
              "    var in = open(file); // TODO close it",
              "    rule 2: Nothing is left half done: no `/\\bTODO\\b/`.",
              "Used outside of the change",
              "  size (a/Page.java)  a/Shelf.java:3",
              "No model has looked at it: only rules with a pattern were applied");
    }
  }

  @Test
  void rulesAreTheItemsOfAList() {
    assertThat(
            Rules.items("# Rules\n\n- One\n  goes on\n* Two `/x+/`\n\n3. Three\ntext\n  no item\n"))
        .containsExactly("One goes on", "Two `/x+/`", "Three");
    assertThat(Rules.rule("Two `/x+/`").pattern().orElseThrow().matches("xx")).isTrue();
    assertThatThrownBy(() -> Rules.items("no list"))
        .hasMessage("rules are 1 to 40 items of a list, not 0");
    assertThatThrownBy(() -> Rules.items("- bad `/(/`"))
        .hasMessageContaining("the rule \"bad `/(/`\" has no regular expression of RE2");
  }
}
