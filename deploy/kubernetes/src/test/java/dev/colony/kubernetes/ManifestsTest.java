package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The plain manifests are what the chart renders. {@code -Dmanifests.write=true} writes them anew.
 */
class ManifestsTest {

  @ParameterizedTest
  @ValueSource(strings = {"trial", "production", "vllm"})
  void theyAreWhatTheChartRenders(String example) throws IOException {
    Path file = ChartFolder.ROOT.resolve("manifests/" + example + ".yaml");
    String rendered =
        """
        # Made from deploy/kubernetes/colony with values/%s.yaml, for the namespace %s.
        # mvn test -pl deploy/kubernetes -am -Dtest=ManifestsTest -Dmanifests.write=true writes it anew.
        ---
        %s%s
        """
            .formatted(
                example,
                ChartFolder.RELEASE,
                ChartFolder.read(ChartFolder.CHART.resolve("crds/leases.yaml")),
                ChartFolder.rendered(ChartFolder.example(example)).strip());
    if (Boolean.getBoolean("manifests.write")) {
      Files.writeString(file, rendered);
    }
    assertThat(file)
        .as(
            "mvn test -pl deploy/kubernetes -am -Dtest=ManifestsTest -Dmanifests.write=true writes"
                + " it anew")
        .content()
        .isEqualTo(rendered);
    assertThat(StrictYaml.objects(rendered)).hasSizeGreaterThan(8);
  }
}
