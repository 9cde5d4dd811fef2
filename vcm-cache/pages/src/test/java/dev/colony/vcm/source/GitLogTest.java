package dev.colony.vcm.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.GitLog.GitCommit;
import dev.colony.vcm.source.SourceReading.FileText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.MergeCommand.FastForwardMode;
import org.eclipse.jgit.lib.PersonIdent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GitLogTest {

  private static final Instant BEGIN = Instant.parse("2026-01-02T03:04:05Z");

  @TempDir private Path tree;
  @TempDir private Path elsewhere;

  private Git git;
  private int commits;

  @BeforeEach
  void init() throws Exception {
    git = Git.init().setDirectory(tree.toFile()).setInitialBranch("main").call();
    commit("Begin", Map.of("a.txt", "one\n", "sub/b.txt", "b\n", "sub/deep/c.txt", "c\n"));
    commit("Change a\n\nBecause of b.", Map.of("a.txt", "two\n"));
    commit("Change b", Map.of("sub/b.txt", "bb\n"));
    git.rm().addFilepattern("sub/deep/c.txt").call();
    commit("Take c away", Map.of());
  }

  @AfterEach
  void close() {
    git.close();
  }

  private void commit(String message, Map<String, String> files) throws Exception {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = tree.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
      git.add().addFilepattern(file.getKey()).call();
    }
    PersonIdent who =
        new PersonIdent("Ada", "ada@example.org", BEGIN.plusSeconds(commits++), ZoneOffset.UTC);
    git.commit().setMessage(message).setAuthor(who).setCommitter(who).setSign(false).call();
  }

  private List<String> changing(Path directory, Set<String> paths, int limit, int looked)
      throws IOException {
    try (GitLog log = GitLog.open(directory, "HEAD").orElseThrow()) {
      return log.changing(paths, limit, looked).stream().map(GitCommit::subject).toList();
    }
  }

  @Test
  void theCommitsThatChangeAPathAreTheLatestFirst() throws Exception {
    assertThat(changing(tree, Set.of("a.txt"), 10, 100)).containsExactly("Change a", "Begin");
    assertThat(changing(tree, Set.of("sub"), 10, 100))
        .containsExactly("Take c away", "Change b", "Begin");
    assertThat(changing(tree, Set.of("a.txt", "sub/deep/c.txt"), 10, 100))
        .containsExactly("Take c away", "Change a", "Begin");
    assertThat(changing(tree, Set.of(), 10, 100)).hasSize(4);
    assertThat(changing(tree, Set.of("none.txt"), 10, 100)).isEmpty();
  }

  @Test
  void howManyAreFoundAndLookedAtIsBounded() throws Exception {
    assertThat(changing(tree, Set.of(), 2, 100)).containsExactly("Take c away", "Change b");
    assertThat(changing(tree, Set.of("a.txt"), 10, 2)).isEmpty();
    assertThat(changing(tree, Set.of("a.txt"), 10, 3)).containsExactly("Change a");
  }

  @Test
  void aDirectoryBelowTheRootStandsForWhatIsInIt() throws Exception {
    assertThat(changing(tree.resolve("sub"), Set.of("b.txt"), 10, 100))
        .containsExactly("Change b", "Begin");
    assertThat(changing(tree.resolve("sub"), Set.of(), 10, 100))
        .containsExactly("Take c away", "Change b", "Begin");
    try (GitLog log = GitLog.open(tree.resolve("sub"), "main").orElseThrow()) {
      assertThat(log.changing(Set.of(), 1, 10).getFirst().files())
          .isEqualTo(Map.of("deep/c.txt", "D"));
    }
  }

  @Test
  void aMergeCountsWhereItDiffersFromItsFirstParent() throws Exception {
    git.checkout().setCreateBranch(true).setName("side").setStartPoint("HEAD~1").call();
    commit("On the side", Map.of("a.txt", "three\n"));
    git.checkout().setName("main").call();
    git.merge()
        .include(git.getRepository().resolve("side"))
        .setFastForward(FastForwardMode.NO_FF)
        .setMessage("Merge the side")
        .setCommit(true)
        .call();
    assertThat(changing(tree, Set.of("a.txt"), 10, 100))
        .containsExactly("Merge the side", "On the side", "Change a", "Begin");
  }

  @Test
  void whatIsNoRepositoryOrHasNoSuchRevisionIsNone() throws Exception {
    assertThat(GitLog.open(elsewhere, "HEAD")).isEmpty();
    assertThat(GitLog.open(tree, "no-such-branch")).isEmpty();
    assertThat(GitLog.open(tree.resolve("none"), "HEAD")).isEmpty();
  }

  @Test
  void theFilesThatASourceMakesOfCommitsAreReadBack() throws Exception {
    commit("M looks like a file\n\nM a.txt\n\nA line", Map.of("a.txt", "4\n"));
    SourceReading.Read read =
        (SourceReading.Read)
            new GitSource(tree, "HEAD", 10, Fixtures.sourceSettings(), Fixtures.watchSettings())
                .read(SourceProgress.SILENT);
    List<GitCommit> parsed =
        read.files().stream()
            .filter(file -> file.path().startsWith(".git/log/"))
            .map(file -> ((FileText.Text) file.content().get()).text())
            .map(text -> GitCommit.parse(text.lines().toList()).orElseThrow())
            .toList();
    try (GitLog log = GitLog.open(tree, "HEAD").orElseThrow()) {
      assertThat(parsed).hasSize(5).isEqualTo(log.changing(Set.of(), 10, 100).reversed());
    }
    assertThat(parsed.getLast().message()).isEqualTo("M looks like a file\n\nM a.txt\n\nA line");
    assertThat(GitCommit.parse(List.of("commit x", "author y"))).isEmpty();
    assertThat(GitCommit.parse(List.of("commit x", "author y", "date never", ""))).isEmpty();
  }
}
