package dev.colony.kubernetes;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The chart, the examples of values for it, and the manifests made from it. */
final class ChartFolder {

  static final Path ROOT = ProjectRoot.find().resolve("deploy/kubernetes");
  static final Path CHART = ROOT.resolve("colony");
  static final Path DEFAULTS = CHART.resolve("values.yaml");

  /** The release and its namespace in what is rendered. */
  static final String RELEASE = "colony";

  private static final Path EXAMPLES = ROOT.resolve("values");

  /** The oldest that the chart is for; more recent ones know the same objects. */
  private static final String KUBERNETES = "1.30.0";

  private ChartFolder() {}

  /** The chart's own values, and each file of examples. */
  static List<Path> valueFiles() {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      return Stream.concat(Stream.of(DEFAULTS), files.sorted()).toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  static Path example(String name) {
    return EXAMPLES.resolve(name + ".yaml");
  }

  /**
   * What Helm makes of the chart with these values, as YAML; the chart's own, which leave it to the
   * operator whether nodes speak by TLS, with a Secret for it.
   */
  static String rendered(Path values) {
    TemplateCommand command =
        new Helm(CHART)
            .template()
            .withName(RELEASE)
            .withNamespace(RELEASE)
            .withKubeVersion(KUBERNETES)
            .withValuesFile(values);
    return (values.equals(DEFAULTS) ? command.set("tls.secret", "colony-node-tls") : command)
        .call();
  }

  static Manifest manifest(Path values) {
    return new Manifest(StrictYaml.objects(rendered(values)));
  }

  static String read(Path file) {
    return read(file, StandardCharsets.UTF_8);
  }

  static String read(Path file, Charset charset) {
    try {
      return Files.readString(file, charset);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
