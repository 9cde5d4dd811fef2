package dev.colony.vcm.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.settings.SourceSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTreeSourceTest {

  private static final SourceSettings SETTINGS = Fixtures.sourceSettings();

  @TempDir Path root;

  @Test
  void readsAllTextInTheOrderOfPaths() throws IOException {
    write("b/Two.java", "two\n");
    write("a.txt", "one\r\nüber");
    write("b/a/One.java", "one\n");

    assertThat(read().files())
        .containsExactly(
            new SourceFile("a.txt", "one\r\nüber"),
            new SourceFile("b/Two.java", "two\n"),
            new SourceFile("b/a/One.java", "one\n"));
  }

  @Test
  void ignoreFilesHoldAtEveryLevel() throws IOException {
    write(".gitignore", "*.log\n/build/\ntarget/\n!keep.log\n");
    write("a.log", "x");
    write("keep.log", "x");
    write("build/out.txt", "x");
    write("sub/build/kept.txt", "x");
    write("sub/target/deep/out.txt", "x");
    write("sub/.gitignore", "secret.txt\n!b.log\n");
    write("sub/secret.txt", "x");
    write("sub/b.log", "x");
    write("secret.txt", "x");

    assertThat(paths())
        .containsExactly(
            ".gitignore",
            "keep.log",
            "secret.txt",
            "sub/.gitignore",
            "sub/b.log",
            "sub/build/kept.txt");
  }

  @Test
  void ignoreFilesAboveTheRootHoldUpToTheWorkTree() throws IOException {
    write(".gitignore", "*.log\n");
    write("repo/.git/config", "x");
    write("repo/.gitignore", "*.tmp\n/sub/gen/\n");
    write("repo/sub/a.log", "x");
    write("repo/sub/a.tmp", "x");
    write("repo/sub/gen/a.txt", "x");

    assertThat(paths(root.resolve("repo/sub"))).containsExactly("a.log");
  }

  @Test
  void leavesOutGitAndColonyDirectories() throws IOException {
    write(".git/config", "x");
    write(".colony/state", "x");
    write("sub/.git", "gitdir: elsewhere");
    write("a.txt", "x");

    assertThat(paths()).containsExactly("a.txt");
  }

  @Test
  void countsWhatIsNoReadableText() throws IOException {
    write("text.txt", "x");
    write("empty.txt", "");
    Files.write(root.resolve("nul.bin"), new byte[] {'a', 0, 'b'});
    Files.write(root.resolve("latin1.txt"), "f\u00fcr".getBytes(StandardCharsets.ISO_8859_1));
    write("large.txt", "x\n".repeat(600));
    write("long-line.txt", "x".repeat(101));
    write("umlauts.txt", "ü".repeat(100));
    write("replacement.txt", "a \uFFFD that is really there");

    SourceReading.Read read = read(new SourceSettings(1000, 100, 100, 1 << 20, 2));

    assertThat(read.files())
        .extracting(SourceFile::path)
        .containsExactly("replacement.txt", "text.txt", "umlauts.txt");
    assertThat(read.skipped()).isEqualTo(new SkippedFiles(2, 2, 0, List.of()));
  }

  @Test
  void namesWhatCannotBeReadAndGoesOn() throws IOException {
    write("a.txt", "a");
    write("locked.txt", "b");
    FileContent content =
        (file, limit) -> {
          if (file.endsWith("locked.txt")) {
            throw new AccessDeniedException(file.toString());
          }
          return FileContent.ON_DISK.read(file, limit);
        };

    SourceReading.Read read =
        (SourceReading.Read)
            new FileTreeSource(root, SETTINGS, content).read(SourceProgress.SILENT);

    assertThat(read.files()).extracting(SourceFile::path).containsExactly("a.txt");
    assertThat(read.skipped()).isEqualTo(new SkippedFiles(0, 0, 1, List.of("locked.txt")));
  }

  @Test
  void doesNotFollowLinksInsideTheTree() throws IOException {
    write("sub/a.txt", "a");
    Files.createSymbolicLink(root.resolve("sub/loop"), root);
    Files.createSymbolicLink(root.resolve("twice.txt"), root.resolve("sub/a.txt"));
    Path linked = root.resolveSibling(root.getFileName() + "-link");
    Files.createSymbolicLink(linked, root);

    assertThat(paths()).containsExactly("sub/a.txt");
    assertThat(paths(linked)).containsExactly("sub/a.txt");
    Files.delete(linked);
  }

  @Test
  void refusesWhatIsNoDirectoryOfTextInOneLine() throws IOException {
    write("file.txt", "x");
    Files.createDirectory(root.resolve("bare"));
    Files.write(root.resolve("bare/nul.bin"), new byte[] {0});

    assertThat(refusal(Path.of("./nowhere-at-all")))
        .isEqualTo("./nowhere-at-all: no such directory");
    assertThat(refusal(root.resolve("file.txt"))).endsWith(": is a file, give a directory");
    assertThat(refusal(root.resolve("bare"))).endsWith("bare: holds no text files");
  }

  @Test
  void refusesMoreThanTheLimits() throws IOException {
    write("a.txt", "12345678\n");
    write("b.txt", "12345678\n");

    assertThat(refused(new SourceSettings(1000, 100, 1, 1 << 20, 2)))
        .contains("more than 1 files")
        .contains("colony.vcm.source.max-files");
    assertThat(refused(new SourceSettings(1000, 100, 10, 10, 2)))
        .contains("more than 10 bytes")
        .contains("colony.vcm.source.max-total-bytes");
  }

  @Test
  void tellsProgressUpToTheLastFile() throws IOException {
    for (int i = 0; i < 20; i++) {
      write("f" + i, "x");
    }
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());

    new FileTreeSource(root, SETTINGS)
        .read((stage, done, total) -> {
          assertThat(total).isEqualTo(20);
          seen.add(done);
        });

    assertThat(seen).hasSize(20).contains(1, 20).doesNotHaveDuplicates();
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private List<String> paths() {
    return paths(root);
  }

  private List<String> paths(Path of) {
    SourceReading read = new FileTreeSource(of, SETTINGS).read(SourceProgress.SILENT);
    return ((SourceReading.Read) read).files().stream().map(SourceFile::path).toList();
  }

  private SourceReading.Read read() {
    return read(SETTINGS);
  }

  private SourceReading.Read read(SourceSettings settings) {
    return (SourceReading.Read) new FileTreeSource(root, settings).read(SourceProgress.SILENT);
  }

  private static String refusal(Path path) {
    return ((SourceReading.Refused) new FileTreeSource(path, SETTINGS).read(SourceProgress.SILENT))
        .reason();
  }

  private String refused(SourceSettings settings) {
    return ((SourceReading.Refused) new FileTreeSource(root, settings).read(SourceProgress.SILENT))
        .reason();
  }
}
