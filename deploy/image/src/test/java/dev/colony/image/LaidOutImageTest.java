package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the Dockerfile says of the image, and what is in it. */
class LaidOutImageTest {

  private static final long LIMIT_BYTES = 420_000_000;
  private static final FileTime TIME = FileTime.from(Instant.ofEpochSecond(1));
  private static final Pattern NEEDED = Pattern.compile("-> ((?:java|jdk)\\.[a-z.]+)");

  /**
   * Named by parts of libraries that no node comes to: annotation processors, agents for
   * instrumentation, and the vectors that Lucene takes where they are.
   */
  private static final Set<String> NOT_USED =
      Set.of("java.compiler", "java.instrument", "jdk.incubator.vector");

  /** Found by name at run time, and what these need. */
  private static final Set<String> NAMED_BY_NO_CLASS =
      Set.of(
          "jdk.crypto.ec",
          "jdk.jcmd",
          "jdk.naming.dns",
          "jdk.zipfs",
          "java.datatransfer",
          "java.prefs",
          "java.security.sasl",
          "java.transaction.xa",
          "jdk.attach",
          "jdk.internal.jvmstat");

  private final LaidOutImage image = LaidOutImage.shared();
  private final Path colony = image.root().resolve("opt/colony");
  private final Dockerfile dockerfile;

  LaidOutImageTest() throws IOException {
    dockerfile = new Dockerfile();
  }

  @Test
  void aNodeIsTheOneThingThatItStartsAsAUserThatIsANumber() throws IOException {
    assertThat(dockerfile.entryPoint())
        .startsWith("/opt/java/bin/java")
        .endsWith("dev.colony.cli.Main", "node");
    assertThat(dockerfile.arguments("CMD")).isEmpty();
    assertThat(dockerfile.argument("USER")).matches("[1-9]\\d*:[1-9]\\d*");
    assertThat(dockerfile.argument("WORKDIR")).isEqualTo("/tmp");
    assertThat(dockerfile.argument("EXPOSE")).isEqualTo("25520/tcp 7626/tcp 8080/tcp");
    assertThat(dockerfile.argument("LABEL")).contains("title=\"colony\"", "version=\"${VERSION}\"");
  }

  @Test
  void whatChangesLeastLiesLowest() {
    assertThat(dockerfile.arguments("COPY"))
        .containsExactlyElementsOf(
            Stream.of("java", "colony/libraries", "colony/application", "colony/cache")
                .map("--from=layout /image/opt/%1$s /opt/%1$s"::formatted)
                .toList());
  }

  @Test
  void itHoldsOurJarsApartFromThoseOfOthers() throws IOException {
    assertThat(jars("application"))
        .containsExactlyInAnyOrderElementsOf(image.application())
        .hasSizeGreaterThan(10);
    assertThat(jars("libraries"))
        .hasSizeGreaterThan(50)
        .doesNotContainAnyElementsOf(jars("application"));
  }

  private List<String> jars(String folder) throws IOException {
    try (Stream<Path> files = Files.list(colony.resolve(folder))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".jar"))
          .toList();
    }
  }

  @Test
  void itSaysWhoseWorkItHolds() throws IOException {
    Path legal = colony.resolve("application/legal");
    for (String file : List.of("LICENSE", "NOTICE", "bom.json")) {
      assertThat(legal.resolve(file)).isNotEmptyFile();
    }
    String list = Files.readString(legal.resolve("THIRD-PARTY.txt"));
    assertThat(jars("libraries"))
        .allSatisfy(jar -> assertThat(list).contains(jar.replaceFirst("-(\\d.*)\\.jar$", " $1: ")));
  }

  /** Or the JVM would not take the cache, and no two layers were the same. */
  @Test
  void allFilesHaveTheSameTimeAndNoOtherMayWriteThem() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String layer : List.of("java", "colony/libraries", "colony/application", "colony/cache")) {
      try (Stream<Path> below =
          Files.walk(image.root().resolve("opt").resolve(layer), new FileVisitOption[0])) {
        below.filter(file -> !Files.isSymbolicLink(file)).forEach(files::add);
      }
    }
    long bytes = 0;
    for (Path file : files) {
      assertThat(Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS))
          .as(file.toString())
          .isEqualTo(TIME);
      assertThat(Files.getPosixFilePermissions(file))
          .as(file.toString())
          .contains(PosixFilePermission.OTHERS_READ)
          .doesNotContain(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
      bytes += Files.isRegularFile(file) ? Files.size(file) : 0;
    }
    System.out.printf("%,d files, %,d bytes%n", files.size(), bytes);
    assertThat(files).hasSizeGreaterThan(100);
    assertThat(bytes).isLessThan(LIMIT_BYTES);
  }

  @Test
  void itsRuntimeHasTheModulesThatTheJarsNeedAndNoOthers() throws IOException {
    Set<String> needed = new TreeSet<>();
    NEEDED
        .matcher(Project.printed(jdeps()))
        .results()
        .forEach(module -> needed.add(module.group(1)));
    assertThat(needed).hasSizeGreaterThan(5).containsAll(NOT_USED);
    needed.removeAll(NOT_USED);
    needed.addAll(NAMED_BY_NO_CLASS);
    List<String> linked =
        Project.printed(
                List.of(image.root().resolve("opt/java/bin/java").toString(), "--list-modules"))
            .lines()
            .map(module -> module.replaceFirst("@.*", ""))
            .toList();
    assertThat(linked).containsExactlyInAnyOrderElementsOf(needed);
  }

  private List<String> jdeps() throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Project.jdk().resolve("bin/jdeps").toString(),
                "--multi-release",
                "25",
                "--ignore-missing-deps",
                "-summary"));
    for (String folder : List.of("application", "libraries")) {
      jars(folder).stream()
          // say as modules that they require others by names that these do not have
          .filter(jar -> !jar.startsWith("progressbar-") && !jar.startsWith("poi-"))
          .map(jar -> colony.resolve(folder).resolve(jar).toString())
          .forEach(command::add);
    }
    return command;
  }
}
