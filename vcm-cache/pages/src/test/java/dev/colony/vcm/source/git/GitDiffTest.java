package dev.colony.vcm.source.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.source.git.GitDiff.FileChange;
import dev.colony.vcm.source.git.GitDiff.Line;
import dev.colony.vcm.source.git.GitDiff.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.eclipse.jgit.api.Git;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GitDiffTest {

  @TempDir private Path tree;
  @TempDir private Path elsewhere;
  private Git git;

  @BeforeEach
  void init() throws Exception {
    git = Git.init().setDirectory(tree.toFile()).setInitialBranch("main").call();
    write("a.txt", lines(1, 20));
    write("sub/b.txt", "@@ -1 +1 @@\n--- x\n");
    write("sub/gone.txt", "gone\n");
    write("moved.txt", lines(100, 140));
    write(".gitignore", "ignored\n");
    commit("Begin");
  }

  @AfterEach
  void close() {
    git.close();
  }

  private static String lines(int first, int last) {
    StringBuilder text = new StringBuilder();
    IntStream.rangeClosed(first, last)
        .forEach(line -> text.append("line ").append(line).append('\n'));
    return text.toString();
  }

  private void write(String file, String text) throws IOException {
    Path path = tree.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void commit(String message) throws Exception {
    git.add().addFilepattern(".").call();
    git.add().setUpdate(true).addFilepattern(".").call();
    git.commit().setMessage(message).setAuthor("Ada", "a@b").setSign(false).call();
  }

  private static List<FileChange> changes(Path directory, String revisions) throws IOException {
    return ((Result.Changed) GitDiff.of(directory, revisions, 1)).files();
  }

  private static List<String> shown(FileChange file) {
    return file.hunks().stream()
        .flatMap(List::stream)
        .map(line -> line.side().mark() + "" + line.number() + " " + line.text())
        .toList();
  }

  @Test
  void theWorkTreeIsComparedWithWhatIsNotCommitted() throws Exception {
    write("a.txt", lines(1, 9) + "ten\n" + lines(11, 18));
    write("new.txt", "no line feed at its end");
    write("ignored", "x\n");
    write("sub/b.txt", "@@ -1 +1 @@\n++ y\n");
    Files.delete(tree.resolve("sub/gone.txt"));
    List<FileChange> files = changes(tree, "HEAD");
    assertThat(files)
        .extracting(one -> one.what() + " " + one.path())
        .containsExactly("M a.txt", "A new.txt", "M sub/b.txt", "D sub/gone.txt");
    assertThat(shown(files.get(0)))
        .containsExactly(
            " 9 line 9",
            "-10 line 10",
            "+10 ten",
            " 11 line 11",
            " 18 line 18",
            "-19 line 19",
            "-20 line 20");
    assertThat(files.get(0).hunks()).hasSize(2);
    assertThat(shown(files.get(1))).containsExactly("+1 no line feed at its end");
    assertThat(shown(files.get(2)))
        .as("lines that look like those of a diff")
        .containsExactly(" 1 @@ -1 +1 @@", "-2 --- x", "+2 ++ y");
    assertThat(shown(files.get(3))).containsExactly("-1 gone");
    assertThat(changes(tree.resolve("sub"), "HEAD"))
        .extracting(FileChange::path)
        .containsExactly("b.txt", "gone.txt");
  }

  @Test
  void commitsAreComparedWithEachOther() throws Exception {
    git.checkout().setCreateBranch(true).setName("side").call();
    write("a.txt", "side\n");
    Files.move(tree.resolve("moved.txt"), tree.resolve("here.txt"));
    commit("On the side");
    git.checkout().setName("main").call();
    write("main.txt", "main\n");
    commit("On main");
    assertThat(changes(tree, "main...side"))
        .extracting(one -> one.what() + " " + one.before() + " " + one.path())
        .containsExactly("M a.txt a.txt", "R moved.txt here.txt");
    assertThat(changes(tree, "main..side"))
        .extracting(one -> one.what() + " " + one.path())
        .containsExactlyInAnyOrder("M a.txt", "R here.txt", "D main.txt");
    assertThat(changes(tree, "HEAD~1..")).extracting(FileChange::path).containsExactly("main.txt");
    assertThat(changes(tree, "HEAD")).isEmpty();
  }

  @Test
  void whatIsNoTextHasNoLines() throws Exception {
    Files.write(tree.resolve("a.bin"), new byte[] {1, 0, 2});
    FileChange file = changes(tree, "HEAD").getFirst();
    assertThat(file.binary()).isTrue();
    assertThat(file.hunks()).isEmpty();
  }

  @Test
  void whatCannotBeComparedIsRefusedInOneLine() throws Exception {
    assertThat(GitDiff.of(tree, "nowhere", 3))
        .isEqualTo(new Result.Refused("the repository has no branch, tag or commit nowhere"));
    assertThat(GitDiff.of(tree, "HEAD..no where", 3))
        .isEqualTo(new Result.Refused("the repository has no branch, tag or commit no where"));
    assertThat(GitDiff.of(elsewhere, "HEAD", 3))
        .isEqualTo(new Result.Refused(elsewhere + " is in no git repository"));
    assertThat(GitDiff.of(tree.resolve("none"), "HEAD", 3))
        .isEqualTo(new Result.Refused(tree.resolve("none") + ": no such directory"));
    Files.createDirectories(elsewhere.resolve("empty"));
    Git.init().setDirectory(elsewhere.resolve("empty").toFile()).call().close();
    assertThat(GitDiff.of(elsewhere.resolve("empty"), "HEAD", 3))
        .isEqualTo(new Result.Refused("the repository has no branch, tag or commit HEAD"));
  }

  @Test
  void linesKeepTheirNumbers() {
    List<List<Line>> hunks = GitDiff.hunks("diff\n@@ -3,2 +3 @@ int f()\n a\n-b\n\\ No newline\n");
    assertThat(hunks)
        .singleElement()
        .satisfies(hunk ->
            assertThat(hunk)
                .containsExactly(
                    new Line(GitDiff.Side.KEPT, 3, "a"), new Line(GitDiff.Side.REMOVED, 4, "b")));
  }
}
