package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No library that ships is of a version known to be bad. */
class KnownBadVersionsTest {

  private final KnownBadVersions known = read();

  /** What a node runs from, and what the image's builder and the tests of both run from. */
  @Test
  void noneIsShipped() throws IOException {
    List<Path> jars = Stream.concat(Project.libraries().stream(), Project.ownLibraries()).toList();
    assertThat(jars).hasSizeGreaterThan(100);
    assertThat(known.in(jars)).isEmpty();
  }

  /** Or a list that names no library in use, by a slip of the pen, would hold nothing. */
  @ParameterizedTest
  @ValueSource(strings = {"netty-handler", "jackson-core", "logback-core"})
  void whatShipsIsOnIt(String artifact) throws IOException {
    assertThat(known.entries()).anyMatch(entry -> entry.artifact().equals(artifact));
    assertThat(Project.libraries())
        .anyMatch(jar -> jar.getFileName().toString().startsWith(artifact + "-"));
  }

  @ParameterizedTest
  @CsvSource({
    "org/lz4/lz4-java/1.8.0/lz4-java-1.8.0.jar, take another library",
    "files-2.1/org.lz4/lz4-java/1.8.0/4b986a99/lz4-java-1.8.0.jar, take another library",
    "at/yawk/lz4/lz4-java/1.8.1/lz4-java-1.8.1.jar, take 1.10.1 or newer",
    "io/netty/netty-handler/4.2.13.Final/netty-handler-4.2.13.Final.jar, take 4.2.15 or newer",
    "io/netty/netty-common/4.1.111.Final/netty-common-4.1.111.Final.jar, take 4.1.118 or newer",
    "files-2.1/io.netty/netty-handler/4.1.134.Final/0f/netty-handler-4.1.134.Final.jar, take"
        + " 4.1.135",
    "com/google/guava/guava/31.1-jre/guava-31.1-jre.jar, CVE-2023-2976"
  })
  void aBadOneIsFound(Path jar, String message) {
    assertThat(known.in(List.of(jar))).singleElement().asString().contains(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io/netty/netty-handler/4.2.15.Final/netty-handler-4.2.15.Final.jar",
        "io/netty/netty-handler/4.1.135.Final/netty-handler-4.1.135.Final.jar",
        "at/yawk/lz4/lz4-java/1.10.1/lz4-java-1.10.1.jar",
        "com/google/guava/guava/33.4.0-jre/guava-33.4.0-jre.jar",
        "org/other/lz4-java/1.8.0/lz4-java-1.8.0.jar"
      })
  void otherVersionsAndLibrariesAreNot(Path jar) {
    assertThat(known.in(List.of(jar))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1.2, 1.10",
    "1.2.0-rc1, 1.2.0",
    "1.9.Final, 1.10.0.Final",
    "7.0, 7.2.1.202505142326-r"
  })
  void theLeftIsOlder(String left, String right) {
    assertThat(KnownBadVersions.compare(left, right)).isNegative();
    assertThat(KnownBadVersions.compare(right, left)).isPositive();
  }

  @Test
  void endingsOfReleasesAndZerosAreNoDifference() {
    assertThat(KnownBadVersions.compare("4.2.15.Final", "4.2.15")).isZero();
    assertThat(KnownBadVersions.compare("1.2", "1.2.0")).isZero();
  }

  @Test
  void aLineThatSaysNothingIsRefused() {
    assertThatThrownBy(() -> KnownBadVersions.parse("io.netty:netty-handler | | 4.2.15"))
        .hasMessageContaining("io.netty:netty-handler");
  }

  private static KnownBadVersions read() {
    try (InputStream list =
        KnownBadVersionsTest.class.getResourceAsStream("/known-bad-versions.txt")) {
      return KnownBadVersions.parse(new String(list.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
