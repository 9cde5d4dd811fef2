package dev.colony.vcm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.TextReader.FileContent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
        .extracting(SourceFile::path, file -> ((FileText.Text) file.content().get()).text())
        .containsExactly(
            tuple("a.txt", "one\r\nüber"),
            tuple("b/Two.java", "two\n"),
            tuple("b/a/One.java", "one\n"));
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
  void leavesOutTheStateOfAClusterWhateverItIsNamed() throws IOException {
    write("kept/" + FileTreeSource.NO_SOURCE, "x");
    write("kept/redis/redis.password", "secret");
    write(".colony-examples/redis/redis.conf", "x");
    write("a.txt", "x");

    assertThat(paths()).containsExactly("a.txt");
    assertThat(FileTreeWalk.entered(root).test(root.resolve("kept"))).isFalse();
    assertThat(
            new FileTreeSource(root.resolve("kept"), SETTINGS, Fixtures.watchSettings())
                .read(SourceProgress.SILENT))
        .isInstanceOfSatisfying(
            SourceReading.Refused.class,
            refused -> assertThat(refused.reason()).contains("is a state directory of Colony"));
  }

  @Test
  void countsWhatIsNoReadableText() throws IOException {
    write("text.txt", "x");
    write("empty.txt", "");
    Files.write(root.resolve("nul.bin"), new byte[] {'a', 0, 'b'});
    Files.write(root.resolve("latin1.txt"), "f\u00fcr".getBytes(StandardCharsets.ISO_8859_1));
    Files.write(root.resolve("noise.bin"), new byte[] {1, 2, (byte) 0xfc, 3});
    write("large.txt", "x\n".repeat(600));
    write("long-line.txt", "x".repeat(101));
    write("umlauts.txt", "ü".repeat(100));
    write("replacement.txt", "a \uFFFD that is really there");

    assertThat(whys(new SourceSettings(1000, 0, 100, 100, 1 << 20, 0, 2)))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "empty.txt", FileText.Why.EMPTY,
                "nul.bin", FileText.Why.BINARY,
                "noise.bin", FileText.Why.BINARY,
                "large.txt", FileText.Why.OVERSIZED));
  }

  @Test
  void passesOverTheCodeOfOthersAndTellsOfIt() throws IOException {
    write("node_modules/left-pad/index.js", "x");
    write("web/package.json", "{}");
    write("web/node_modules/a/b.js", "x");
    write("web/dist/app.js", "x");
    write("vendor/lib.go", "x");
    write("third_party/zlib/zlib.h", "x");
    write("core/pom.xml", "x");
    write("core/target/classes/a.txt", "x");
    write("src/main/java/shop/vendor/Vendor.java", "x");
    write("src/main/java/shop/build/Build.java", "x");
    write("shop/vendor/__init__.py", "x");
    write("target/aim.txt", "x");

    SourceReading.Read read = read();
    assertThat(read.vendored())
        .containsExactly(
            "core/target", "node_modules", "third_party", "vendor", "web/dist", "web/node_modules");
    assertThat(read.files())
        .extracting(SourceFile::path)
        .containsExactly(
            "core/pom.xml",
            "shop/vendor/__init__.py",
            "src/main/java/shop/build/Build.java",
            "src/main/java/shop/vendor/Vendor.java",
            "target/aim.txt",
            "web/package.json");
    assertThat(FileTreeWalk.entered(root).test(root.resolve("node_modules"))).isFalse();
    assertThat(FileTreeWalk.entered(root).test(root.resolve("src"))).isTrue();
    assertThat(paths(root.resolve("vendor"))).as("asked for").containsExactly("lib.go");
  }

  @Test
  void pointersAndWhatProgramsWroteAreLeftOut() throws IOException {
    write(
        "model.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n");
    write("beds.pb.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage beds\n");
    write("Beds.java", "/*\n * Licence.\n *\n * @generated by the schema\n */\nclass Beds {}\n");
    write("Beds.cs", "// <auto-generated>\n//     This code was generated by a tool.\n");
    write(
        "speaks.java",
        "// Files that say @generated-like words, or DO NOT EDIT, are not left out\n");
    write(
        "Generator.java", "class Generator {\n  String mark = \"// generated: DO NOT EDIT\";\n}\n");

    assertThat(whys(SETTINGS))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "model.bin", FileText.Why.LFS_POINTER,
                "beds.pb.go", FileText.Why.GENERATED,
                "Beds.java", FileText.Why.GENERATED,
                "Beds.cs", FileText.Why.GENERATED));
  }

  @Test
  void aLineThatIsTooLongForAPageIsReadInRows() throws IOException {
    write("data.json", "{" + "\"depth\":12,".repeat(200) + "\"harbour\":\"Kollund\"}");

    assertThat(
            ((FileText.Text)
                    source(root, new SourceSettings(10_000, 0, 100, 100, 1 << 20, 0, 2))
                        .file("data.json")
                        .orElseThrow())
                .text()
                .lines())
        .allMatch(row -> row.matches("\\[1:\\d+] .{1,400}"))
        .last()
        .asString()
        .endsWith("\"harbour\":\"Kollund\"}");
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

    FileTreeSource source = new FileTreeSource(root, SETTINGS, Fixtures.watchSettings(), content);

    assertThat(whys((SourceReading.Read) source.read(SourceProgress.SILENT)))
        .containsExactly(entry("locked.txt", FileText.Why.UNREADABLE));
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

    assertThat(refusal(Path.of("./nowhere-at-all")))
        .isEqualTo("./nowhere-at-all: no such directory");
    assertThat(refusal(root.resolve("file.txt"))).contains(": is a file, give a directory");
  }

  @Test
  void refusesMoreThanTheLimits() throws IOException {
    write("a.txt", "12345678\n");
    write("b.txt", "12345678\n");

    assertThat(
            ((SourceReading.Refused)
                    source(root, new SourceSettings(1000, 0, 100, 1, 1 << 20, 0, 2))
                        .read(SourceProgress.SILENT))
                .reason())
        .contains("more than 1 files")
        .contains("colony.vcm.source.max-files");
  }

  @Test
  void aFileThatHasNotChangedKeepsItsStamp() throws IOException {
    write("a.txt", "a");
    write("b.txt", "b");
    assertThat(stamps().values()).as("written a moment ago").containsOnly("");

    FileTime before = FileTime.from(Instant.now().minusSeconds(60));
    Files.setLastModifiedTime(root.resolve("a.txt"), before);
    Files.setLastModifiedTime(root.resolve("b.txt"), before);
    Map<String, String> stamps = stamps();
    assertThat(stamps()).isEqualTo(stamps);
    assertThat(stamps.values()).doesNotContain("");

    write("b.txt", "other");
    Files.setLastModifiedTime(root.resolve("b.txt"), before);
    assertThat(stamps().get("a.txt")).isEqualTo(stamps.get("a.txt"));
    assertThat(stamps().get("b.txt")).as("of another size").isNotEqualTo(stamps.get("b.txt"));
  }

  @Test
  void whatChangedIsLookedAtAlone() throws IOException {
    write("a.txt", "a");
    write("b.txt", "b");
    write("sub/c.txt", "c");
    SourceReading.Read before = read();
    write("a.txt", "another");
    Files.delete(root.resolve("b.txt"));

    FileTreeSource source = source(root, SETTINGS);
    SourceReading.Read changed =
        (SourceReading.Read) source.reread(before, Set.of("a.txt", "b.txt"), SourceProgress.SILENT);
    assertThat(changed.files()).extracting(SourceFile::path).containsExactly("a.txt", "sub/c.txt");
    assertThat(changed.files().getLast()).isSameAs(before.files().getLast());
    assertThat(((FileText.Text) changed.files().getFirst().content().get()).text())
        .isEqualTo("another");

    write("new.txt", "new");
    assertThat(
            ((SourceReading.Read) source.reread(before, Set.of("new.txt"), SourceProgress.SILENT))
                .files())
        .extracting(SourceFile::path)
        .containsExactly("a.txt", "new.txt", "sub/c.txt");
  }

  @Test
  void aFileIsReadByItsPathAndNoneOutsideOfTheTree() throws IOException {
    write("sub/c.txt", "c");
    Files.writeString(root.resolveSibling("outside.txt"), "x");

    assertThat(source(root, SETTINGS).file("sub/c.txt")).contains(new FileText.Text("c", 1));
    assertThat(source(root, SETTINGS).file("../outside.txt")).isEmpty();
    assertThat(source(root, SETTINGS).file("gone.txt"))
        .contains(new FileText.Left(FileText.Why.UNREADABLE));
    Files.delete(root.resolveSibling("outside.txt"));
  }

  private Map<String, String> stamps() {
    return read().files().stream().collect(Collectors.toMap(SourceFile::path, SourceFile::stamp));
  }

  private Map<String, FileText.Why> whys(SourceSettings settings) {
    return whys((SourceReading.Read) source(root, settings).read(SourceProgress.SILENT));
  }

  private static Map<String, FileText.Why> whys(SourceReading.Read read) {
    Map<String, FileText.Why> whys = new HashMap<>();
    for (SourceFile file : read.files()) {
      if (file.content().get() instanceof FileText.Left left) {
        whys.put(file.path(), left.why());
      }
    }
    return whys;
  }

  private static FileTreeSource source(Path root, SourceSettings settings) {
    return new FileTreeSource(root, settings, Fixtures.watchSettings());
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
    SourceReading read = source(of, SETTINGS).read(SourceProgress.SILENT);
    return ((SourceReading.Read) read).files().stream().map(SourceFile::path).toList();
  }

  private SourceReading.Read read() {
    return (SourceReading.Read) source(root, SETTINGS).read(SourceProgress.SILENT);
  }

  private static String refusal(Path path) {
    return ((SourceReading.Refused) source(path, SETTINGS).read(SourceProgress.SILENT)).reason();
  }
}
