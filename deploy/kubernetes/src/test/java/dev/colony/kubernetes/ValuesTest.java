package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

/**
 * values.yaml, its schema and the list of docs/operations/kubernetes.md say the same of the same
 * values. {@code -Ddocs.write=true} writes the list anew.
 */
class ValuesTest {

  private static final String BEGIN = "<!-- values: written by ValuesTest -->\n";
  private static final String END = "<!-- end of values -->\n";

  private final DocumentedValues values = DocumentedValues.read();

  @Test
  void theSchemaSaysWhatTheValuesSay() {
    assertThat(DocumentedValues.ofSchema())
        .hasSizeGreaterThan(70)
        .containsExactlyEntriesOf(values.meanings());
  }

  @Test
  void theSchemaIsClosed() {
    assertClosed(
        "",
        StrictYaml.documents(ChartFolder.read(ChartFolder.CHART.resolve("values.schema.json")))
            .getFirst());
  }

  @Test
  void theDocsShowThem() throws IOException {
    Path page = ProjectRoot.find().resolve("docs/operations/kubernetes.md");
    String shown = Files.readString(page);
    int begin = shown.indexOf(BEGIN) + BEGIN.length();
    int end = shown.indexOf(END);
    assertThat(begin).isBetween(BEGIN.length(), end);
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(page, shown.substring(0, begin) + values.list() + shown.substring(end));
    } else {
      assertThat(shown.substring(begin, end))
          .as(
              "mvn test -pl deploy/kubernetes -am -Dtest=ValuesTest -Ddocs.write=true writes it"
                  + " anew")
          .isEqualTo(values.list());
    }
  }

  /** The version of chart and image is the project's. */
  @Test
  void theVersionIsTheProjects() throws IOException {
    JsonNode chart =
        StrictYaml.documents(ChartFolder.read(ChartFolder.CHART.resolve("Chart.yaml"))).getFirst();
    String pom = Files.readString(ProjectRoot.find().resolve("pom.xml"));
    String version = pom.split("<revision>")[1].split("</revision>")[0];
    assertThat(chart.get("version").asText()).isEqualTo(version);
    assertThat(chart.get("appVersion").asText()).isEqualTo(version);
  }

  /** Or a misspelled value would be taken silently. */
  private static void assertClosed(String path, JsonNode schema) {
    if (!schema.has("description")) {
      assertThat(schema.path("additionalProperties").asText()).as(path).isEqualTo("false");
      schema.path("properties").properties().stream()
          .sorted(Comparator.comparing(property -> property.getKey()))
          .forEach(property -> assertClosed(path + "/" + property.getKey(), property.getValue()));
    }
  }
}
