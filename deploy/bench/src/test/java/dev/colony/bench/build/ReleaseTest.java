package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.bench.build.PublishedPoms.Published;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The dry run of docs/operations/release.md, on a copy of the sources, signed where there is a gpg.
 * {@code -Drelease.modules=blackboard,agent-runtime/bom} has it look at these only.
 */
@Tag("faults")
class ReleaseTest {

  private static final Path ROOT = ProjectRoot.find();

  /** What is made from the sources, and their history. */
  private static final Set<String> NOT_COPIED =
      Set.of("target", "build", ".git", ".gradle", ".colony", ".colony-examples");

  private static final List<String> MODULES =
      Stream.of(System.getProperty("release.modules", "").split(","))
          .filter(one -> !one.isEmpty())
          .toList();

  @TempDir private Path folder;

  @Test
  void theStagingFolderHasAllThatCentralAsksFor() throws Exception {
    String machine = System.getProperty("localRepository", "");
    Assumptions.assumeFalse(machine.isEmpty(), "Maven runs the tests");
    Assumptions.assumeFalse(Boolean.getBoolean("maven.offline"), "Maven deploys nothing offline");
    Path sources = folder.resolve("sources");
    copy(ROOT, sources);
    boolean signed = key();
    try {
      run(
          sources,
          "%s -B -q %s -Dgpg.skip=%s -Dmaven.repo.local=%s"
              .formatted(
                  command(),
                  MODULES.isEmpty() ? "" : "-pl " + String.join(",", MODULES) + " -am",
                  !signed,
                  machine));
    } finally {
      if (signed) {
        run(folder, "gpgconf --kill gpg-agent");
      }
    }

    List<Published> published =
        PublishedPoms.of(sources).stream()
            .filter(one ->
                MODULES.isEmpty() || MODULES.contains(sources.relativize(one.folder()).toString()))
            .toList();
    assertThat(published).isNotEmpty();
    Path group = sources.resolve("target/staging/dev/colony");
    for (Published one : published) {
      complete(group.resolve(one.artifact()).resolve("0.1.0"), one, signed);
    }
    try (Stream<Path> artifacts = Files.list(group)) {
      assertThat(artifacts.filter(Files::isDirectory).map(one -> one.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(Stream.of("colony"), published.stream().map(Published::artifact))
                  .toList());
    }
  }

  private static void complete(Path version, Published one, boolean signed) throws Exception {
    String name = version.resolve(one.artifact() + "-0.1.0").toString();
    List<Path> files = new ArrayList<>(List.of(Path.of(name + ".pom")));
    if (one.hasCode()) {
      files.add(Path.of(name + ".jar"));
      files.add(Path.of(name + "-sources.jar"));
      files.add(Path.of(name + "-javadoc.jar"));
      assertThat(entries(files.get(1))).anyMatch(entry -> entry.endsWith(".class"));
      assertThat(entries(files.get(2))).anyMatch(entry -> entry.endsWith(".java"));
      assertThat(entries(files.get(3))).contains("index.html");
    }
    for (Path file : files) {
      assertThat(file).exists();
      assertThat(Path.of(file + ".md5")).hasContent(digest("MD5", file));
      assertThat(Path.of(file + ".sha1")).hasContent(digest("SHA-1", file));
      if (signed) {
        assertThat(Path.of(file + ".asc")).content().contains("BEGIN PGP SIGNATURE");
      }
    }
    String pom = Files.readString(files.getFirst());
    assertThat(PublishedPoms.missing(pom)).as(one.artifact()).isEmpty();
    assertThat(pom).doesNotContain("SNAPSHOT", "${", "<parent>");
    assertThat(PublishedPoms.values(pom, "version").getFirst()).isEqualTo("0.1.0");
  }

  private static List<String> entries(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.stream().map(Object::toString).toList();
    }
  }

  private static String digest(String algorithm, Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
  }

  /** The first command of the page. */
  private static String command() throws IOException {
    Matcher typed =
        Pattern.compile("(?m)^\\$ (mvn .*)$")
            .matcher(Files.readString(ROOT.resolve("docs/operations/release.md")));
    assertThat(typed.find()).isTrue();
    return typed.group(1);
  }

  /** A key for this test alone; false where there is no gpg. */
  private boolean key() throws Exception {
    Files.createDirectory(
        folder.resolve("gnupg"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    if (process(folder, "command -v gpg").waitFor() != 0) {
      return false;
    }
    run(
        folder,
        "gpg --batch --passphrase '' --quick-generate-key test@example.org default default 1d");
    return true;
  }

  private void run(Path in, String command) throws Exception {
    Process process = process(in, command);
    try {
      assertThat(process.waitFor(30, TimeUnit.MINUTES)).as(command).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue())
        .as("%s: %s", command, Files.readString(folder.resolve("output.txt")))
        .isZero();
  }

  private Process process(Path in, String command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", command)
            .directory(in.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.txt").toFile());
    builder.environment().put("GNUPGHOME", folder.resolve("gnupg").toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path one, BasicFileAttributes attributes)
              throws IOException {
            if (NOT_COPIED.contains(one.getFileName().toString()) && isMade(one)) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(to.resolve(from.relativize(one).toString()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path one, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(one, to.resolve(from.relativize(one).toString()));
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** A package of ours may be called the same. */
  private static boolean isMade(Path folder) {
    return !folder.toString().contains("/src/");
  }
}
