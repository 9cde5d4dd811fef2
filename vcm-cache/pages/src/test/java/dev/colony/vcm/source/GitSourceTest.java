package dev.colony.vcm.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.SourceReading.FileText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.revwalk.RevCommit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitSourceTest {

  private static final Instant BEGIN = Instant.parse("2026-01-02T03:04:05Z");

  @TempDir private Path tree;

  private Git git;
  private int commits;

  @BeforeEach
  void init() throws Exception {
    git = Git.init().setDirectory(tree.toFile()).setInitialBranch("main").call();
  }

  @AfterEach
  void close() {
    git.close();
  }

  private RevCommit commit(String message, Map<String, String> files) throws Exception {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = tree.resolve(file.getKey());
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.getValue());
      git.add().addFilepattern(file.getKey()).call();
    }
    PersonIdent who =
        new PersonIdent("Ada", "ada@example.org", BEGIN.plusSeconds(commits++), ZoneOffset.UTC);
    return git.commit().setMessage(message).setAuthor(who).setCommitter(who).setSign(false).call();
  }

  private GitSource source(Path path, String revision, int history) {
    return new GitSource(
        path, revision, history, Fixtures.sourceSettings(), Fixtures.watchSettings());
  }

  private static SourceReading.Read read(GitSource source) {
    return (SourceReading.Read) source.read(SourceProgress.SILENT);
  }

  private static Map<String, String> texts(SourceReading.Read read) {
    Map<String, String> texts = new LinkedHashMap<>();
    read.files()
        .forEach(file -> texts.put(file.path(), ((FileText.Text) file.content().get()).text()));
    return texts;
  }

  private static String refusal(GitSource source) {
    return ((SourceReading.Refused) source.read(SourceProgress.SILENT)).reason();
  }

  @Test
  void theFilesAreThoseOfTheRevisionNotOfTheWorkTree() throws Exception {
    RevCommit first = commit("first", Map.of("a.txt", "one\n", "sub/b.txt", "b\n"));
    commit("second", Map.of("a.txt", "two\n"));
    Files.writeString(tree.resolve("a.txt"), "not committed\n");
    Files.writeString(tree.resolve("new.txt"), "not committed\n");

    assertThat(texts(read(source(tree, "HEAD", 0))))
        .isEqualTo(Map.of("a.txt", "two\n", "sub/b.txt", "b\n"));
    assertThat(texts(read(source(tree, "main", 0)))).containsEntry("a.txt", "two\n");
    assertThat(texts(read(source(tree, first.name(), 0)))).containsEntry("a.txt", "one\n");
    assertThat(texts(read(source(tree, "HEAD~1", 0)))).containsEntry("a.txt", "one\n");
    assertThat(texts(read(source(tree.resolve("sub"), "HEAD", 0))))
        .isEqualTo(Map.of("b.txt", "b\n"));
  }

  @Test
  void theCodeOfOthersIsPassedOver() throws Exception {
    commit(
        "1",
        Map.of(
            "a.txt", "one\n",
            "web/node_modules/x/index.js", "x",
            "web/node_modules/x/node_modules/y/index.js", "y",
            "vendor/lib.go", "x",
            "src/vendor/Vendor.java", "class Vendor {}\n",
            "model.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\n"));

    SourceReading.Read read = read(source(tree, "HEAD", 0));
    assertThat(read.vendored()).containsExactly("vendor", "web/node_modules");
    assertThat(read.files())
        .extracting(file -> file.path())
        .containsExactly("a.txt", "model.bin", "src/vendor/Vendor.java");
    assertThat(
            read.files().stream()
                .filter(file -> file.path().equals("model.bin"))
                .map(file -> file.content().get()))
        .containsExactly(new FileText.Left(FileText.Why.LFS_POINTER));
  }

  @Test
  void theCommitsAreFilesInTheOrderOfTime() throws Exception {
    commit("Begin", Map.of("a.txt", "one\n", "sub/b.txt", "b\n"));
    RevCommit second = commit("Change a\n\nBecause of b.", Map.of("a.txt", "two\n"));

    List<SourceFile> log =
        read(source(tree, "HEAD", 10)).files().stream()
            .filter(file -> file.path().startsWith(".git/log/"))
            .toList();
    assertThat(log)
        .extracting(SourceFile::path)
        .hasSize(2)
        .last()
        .isEqualTo(".git/log/2026-01-02T03-04-06-%s.txt".formatted(second.name().substring(0, 12)));
    assertThat(log.getLast().content().get())
        .isInstanceOfSatisfying(
            FileText.Text.class,
            text ->
                assertThat(text.text())
                    .isEqualTo(
                        "commit %s\nauthor Ada\ndate 2026-01-02T03:04:06Z\n\nChange a\n\nBecause of b.\n\nM a.txt\n"
                            .formatted(second.name())));
    assertThat(source(tree, "HEAD", 10).file(log.getLast().path()))
        .contains(log.getLast().content().get());
    assertThat(read(source(tree, "HEAD", 1)).files()).hasSize(3);
    assertThat(read(source(tree.resolve("sub"), "HEAD", 10)).files())
        .as("the commits that changed the directory")
        .extracting(SourceFile::path)
        .hasSize(2)
        .contains("b.txt");
  }

  @Test
  void filesThatWereChangedTogetherAreTied() throws Exception {
    commit("1", Map.of("a.txt", "1", "b.txt", "1", "c.txt", "1"));
    commit("2", Map.of("a.txt", "2", "b.txt", "2"));
    commit("3", Map.of("a.txt", "3", "b.txt", "3"));
    commit("4", Map.of("c.txt", "4"));

    var tied = read(source(tree, "HEAD", 10)).coChange();
    assertThat(tied.closeness("a.txt", "b.txt")).isEqualTo(1);
    assertThat(tied.closeness("b.txt", "a.txt")).isEqualTo(1);
    assertThat(tied.closeness("a.txt", "c.txt")).as("once may be chance").isZero();
    assertThat(tied.together("a.txt")).isEqualTo(Map.of("b.txt", 3, "c.txt", 1));
    assertThat(read(source(tree, "HEAD", 0)).coChange().isEmpty()).isTrue();
  }

  @Test
  void aFileKeepsItsStampAsLongAsItsContent() throws Exception {
    commit("1", Map.of("a.txt", "1", "b.txt", "1"));
    GitSource source = source(tree, "HEAD", 0);
    List<SourceFile> before = read(source).files();
    commit("2", Map.of("b.txt", "2"));
    List<SourceFile> after = read(source).files();

    assertThat(after.get(0).stamp()).isEqualTo(before.get(0).stamp());
    assertThat(after.get(1).stamp()).isNotEqualTo(before.get(1).stamp());
  }

  @Test
  void theReferenceNamesTheCommitForGood() throws Exception {
    RevCommit first = commit("1", Map.of("a.txt", "one\n"));
    String reference = read(source(tree, "HEAD", 5)).reference().orElseThrow();
    commit("2", Map.of("a.txt", "two\n"));

    assertThat(reference).startsWith("git:" + tree).endsWith("#" + first.name());
    assertThat(source(tree, first.name(), 0).file("a.txt")).contains(new FileText.Text("one\n", 4));
    assertThat(source(tree, first.name(), 0).file("none.txt")).isEmpty();
  }

  @Test
  void aCommitIsToldOf() throws Exception {
    RevCommit first = commit("1", Map.of("a.txt", "1"));
    assertThat(source(tree, first.name(), 0).watch(anything(new LinkedBlockingQueue<>())))
        .as("a commit does not change")
        .isEmpty();
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    SourceWatch watch = source(tree, "main", 0).watch(anything(told)).orElseThrow();
    try {
      commit("2", Map.of("a.txt", "2"));
      assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("anything");
    } finally {
      watch.close();
    }
  }

  private static SourceWatch.Listener anything(BlockingQueue<String> told) {
    return new SourceWatch.Listener() {
      @Override
      public void changed(Set<String> paths) {
        told.add(paths.toString());
      }

      @Override
      public void anything() {
        told.add("anything");
      }
    };
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[core\n\tbare = false\n",
        "[core]\n\tbare = perhaps\n",
        "[core]\n\trepositoryformatversion = one\n",
        "[core]\n\trepositoryformatversion = 99\n",
        "[core]\n\tautocrlf = sometimes\n",
        "\u0000\u0001\u0002"
      })
  void aRepositoryWithAConfigurationThatIsNoneIsRefusedInOneLine(String content) throws Exception {
    commit("1", Map.of("a.txt", "1"));
    Path config = tree.resolve(".git/config");
    Files.writeString(config, content);
    SourceReading reading = source(tree, "HEAD", 1).read(SourceProgress.SILENT);
    if (reading instanceof SourceReading.Refused refused) {
      assertThat(refused.reason())
          .startsWith("git:" + tree + ": the repository cannot be read: ")
          .doesNotContain("\n", "null", "Exception");
    } else {
      assertThat(content).as("what git reads without").contains("autocrlf");
    }
    assertThat(source(tree, "HEAD", 1).file("a.txt")).isPresent();
  }

  @Test
  void whatIsNoRepositoryIsRefusedInOneLine(@TempDir Path other) throws IOException {
    assertThat(refusal(source(other.resolve("none"), "HEAD", 0)))
        .isEqualTo("git:" + other.resolve("none") + ": no such directory");
    assertThat(refusal(source(other, "HEAD", 0)))
        .isEqualTo("git:" + other + ": is in no git repository");
    assertThat(refusal(source(tree, "HEAD", 0))).endsWith(": has no commit yet");
    assertThat(refusal(source(tree, "nowhere", 0)))
        .isEqualTo("git:" + tree + "#nowhere: has no branch, tag or commit nowhere");
    assertThat(refusal(source(tree, "a..b:", 0))).contains("has no branch, tag or commit a..b:");
  }
}
