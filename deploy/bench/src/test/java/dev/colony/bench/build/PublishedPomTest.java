package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.bench.build.PublishedPoms.Published;
import dev.colony.server.fixture.ProjectRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The poms that programs outside the project see. */
class PublishedPomTest {

  private static final Path ROOT = ProjectRoot.find();
  private static final Pattern OWN =
      Pattern.compile("<groupId>dev.colony</groupId>\\s*<artifactId>([\\w-]+)</artifactId>");

  private final List<Published> published;

  PublishedPomTest() throws Exception {
    published = PublishedPoms.of(ROOT);
  }

  @Test
  void eachHasWhatCentralAsksForAndNeedsNoParent() throws Exception {
    assertThat(published).hasSizeGreaterThan(10);
    for (Published one : published) {
      assertThat(one.pom()).as("Maven writes it").exists();
      String pom = one.text();
      assertThat(PublishedPoms.missing(pom)).as(one.artifact()).isEmpty();
      assertThat(pom)
          .as(one.artifact())
          .doesNotContain("<parent>", "${", "<scope>test</scope>", "<repositories>");
    }
  }

  @Test
  void theBomListsWhatIsPublishedAndNothingElse() throws Exception {
    List<String> listed =
        OWN.matcher(bom().text().split("<dependencyManagement>")[1])
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(listed)
        .containsExactlyElementsOf(
            published.stream().filter(Published::hasCode).map(Published::artifact).toList());
  }

  /** The poms of the libraries that it imports are of the versions that are tested here. */
  @Test
  void theBomHasTheVersionsOfTheBuild() throws Exception {
    Map<String, String> versions = MavenBuild.read(ROOT).versions();
    String parent = Files.readString(ROOT.resolve("pom.xml"));
    String bom = bom().text();
    assertThat(Files.readString(bom().folder().resolve("pom.xml")))
        .contains(
            "<revision>%s</revision>"
                .formatted(PublishedPoms.values(parent, "revision").getFirst()));
    for (String library : List.of("jackson", "netty", "pekko")) {
      assertThat(bom)
          .containsPattern(
              "(?s)<artifactId>%s-bom[^<]*</artifactId>\\s*<version>%s</version>\\s*<type>pom</type>\\s*<scope>import</scope>"
                  .formatted(library, Pattern.quote(versions.get(library))));
    }
    Map.of("jgit", "org.eclipse.jgit", "lucene", "lucene-core", "msgpack", "msgpack-core")
        .forEach((library, artifact) ->
            assertThat(bom)
                .containsPattern(
                    "<artifactId>%s</artifactId>\\s*<version>%s</version>"
                        .formatted(artifact, Pattern.quote(versions.get(library)))));
  }

  private Published bom() {
    return published.stream()
        .filter(one -> one.artifact().equals("colony-bom"))
        .findFirst()
        .orElseThrow();
  }
}
