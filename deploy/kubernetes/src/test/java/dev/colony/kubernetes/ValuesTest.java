package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

/** values.yaml explains each value, and the chart's schema holds the same sentences. */
class ValuesTest {

  @Test
  void theSchemaSaysWhatTheValuesSay() {
    assertThat(DocumentedValues.ofSchema())
        .hasSizeGreaterThan(70)
        .containsExactlyEntriesOf(DocumentedValues.ofDefaults());
  }

  @Test
  void theSchemaIsClosed() {
    assertClosed(
        "",
        StrictYaml.documents(ChartFolder.read(ChartFolder.CHART.resolve("values.schema.json")))
            .getFirst());
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
