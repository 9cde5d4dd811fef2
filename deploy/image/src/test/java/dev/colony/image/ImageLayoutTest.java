package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** What the tarball says of itself, and what is in it. */
class ImageLayoutTest {

  private static final long LIMIT_BYTES = 350_000_000;
  private static final int OTHERS_MAY_WRITE = 0022;

  private final BuiltImage built = BuiltImage.shared();
  private final OciTarball image;

  ImageLayoutTest() throws IOException {
    image = OciTarball.read(built.tar());
  }

  @Test
  void aNodeIsTheOneThingThatItStarts() {
    assertThat(texts(image.config().at("/config/Entrypoint")))
        .isEqualTo(Contents.ENTRY_POINT)
        .startsWith("/opt/java/bin/java")
        .endsWith("dev.colony.cli.Main", "node");
    assertThat(texts(image.config().at("/config/Cmd"))).isEmpty();
  }

  @Test
  void itsUserIsANumberThatIsNotRoot() {
    assertThat(image.config().at("/config/User").asText()).matches("[1-9]\\d*:[1-9]\\d*");
  }

  @Test
  void itSaysWhatItIs() {
    JsonNode labels = image.config().at("/config/Labels");
    assertThat(labels.path("org.opencontainers.image.title").asText()).isEqualTo("colony");
    assertThat(labels.path("org.opencontainers.image.version").asText()).isEqualTo("1.2.3");
    assertThat(names(image.config().at("/config/ExposedPorts")))
        .containsExactlyInAnyOrder("25520/tcp", "7626/tcp", "8080/tcp");
    assertThat(image.config().path("os").asText()).isEqualTo("linux");
  }

  @Test
  void whatChangesLeastLiesLowest() {
    assertThat(image.layers()).hasSize(5);
    assertThat(image.history().subList(1, 5))
        .containsExactly(
            "the Java runtime", "the libraries of others", "the jars of Colony", "the AOT cache");
  }

  @Test
  void itIsSmallerThanTheLimit() throws IOException {
    Breakdown sizes = Breakdown.of(built.laidOut(), built.tar());
    System.out.println(sizes.text());
    assertThat(Files.size(built.tar())).isLessThan(LIMIT_BYTES);
    assertThat(sizes.layers().stream().mapToLong(Breakdown.Part::packedBytes).sum())
        .isCloseTo(Files.size(built.tar()), Offset.offset(Files.size(built.tar()) / 20));
  }

  @Test
  void nothingButTheTemporaryFolderCanBeWritten() {
    Map<String, TarArchiveEntry> entries = built.entries();
    assertThat(entries).hasSizeGreaterThan(100);
    assertThat(entries.values())
        .allSatisfy(entry -> {
          assertThat(entry.getLongUserId()).as(entry.getName()).isZero();
          assertThat(entry.getLongGroupId()).as(entry.getName()).isZero();
          if (!entry.isSymbolicLink() && !entry.getName().equals("tmp/")) {
            assertThat(entry.getMode() & OTHERS_MAY_WRITE).as(entry.getName()).isZero();
          }
        });
    assertThat(entries.get("tmp/").getMode() & 07777).isEqualTo(01777);
  }

  @Test
  void itHoldsTheJarsTheLicencesAndNoShell() {
    Map<String, TarArchiveEntry> entries = built.entries();
    Stream.concat(
            built.jars().libraries().stream()
                .map(jar -> "opt/colony/libraries/" + jar.getFileName()),
            built.jars().application().stream()
                .map(jar -> "opt/colony/application/" + jar.getFileName()))
        .forEach(jar -> assertThat(entries).containsKey(jar));
    assertThat(entries.keySet())
        .noneMatch(name -> name.matches("(usr/)?s?bin/.+"))
        .anyMatch(name -> name.matches("opt/java/legal/java.base/LICENSE"));
    for (String said : List.of("etc/passwd", "etc/group")) {
      assertThat(built.unpacked().resolve(said)).content().contains("colony:x:10001:");
    }
  }

  @Test
  void itSaysWhoseWorkItHolds() throws IOException {
    for (String file : List.of("LICENSE", "NOTICE", "THIRD-PARTY.txt", "bom.json")) {
      assertThat(built.entries()).containsKey("opt/colony/application/legal/" + file);
    }
    String list =
        Files.readString(built.unpacked().resolve("opt/colony/application/legal/THIRD-PARTY.txt"));
    assertThat(built.jars().libraries())
        .allSatisfy(jar ->
            assertThat(list)
                .contains(jar.getFileName().toString().replaceFirst("-(\\d.*)\\.jar$", " $1: ")));
  }

  /** The library brings those of five platforms. */
  @Test
  void itHoldsRedisForItsOwnPlatformOnly() throws IOException {
    Path jar =
        built.jars().libraries().stream()
            .filter(library -> library.getFileName().toString().startsWith("embedded-redis-"))
            .findFirst()
            .orElseThrow();
    assertThat(servers(jar)).hasSizeGreaterThan(3);
    assertThat(servers(built.unpacked().resolve("opt/colony/libraries").resolve(jar.getFileName())))
        .singleElement()
        .asString()
        .endsWith("-linux-" + ImageBuild.architecture());
  }

  private static List<String> servers(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream()
          .map(JarEntry::getName)
          .filter(name -> name.startsWith("redis-server-"))
          .toList();
    }
  }

  @Test
  void theTimesAreTheSameEverywhere() {
    assertThat(built.entries().values())
        .allSatisfy(entry ->
            assertThat(entry.getLastModifiedTime())
                .as(entry.getName())
                .isEqualTo(Contents.FILE_TIME));
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }

  private static List<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).toList();
  }
}
