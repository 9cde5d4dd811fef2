package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The alerts and the Grafana dashboard ask for figures that nodes show, and lead to pages. */
class MonitoringTest {

  private static final Path FOLDER = ChartFolder.ROOT.resolve("monitoring");
  private static final Path DOCS = ProjectRoot.find().resolve("docs");
  private static final Pattern FIGURE = Pattern.compile("\\b(?:colony|jvm)_[a-z_]+");
  private static final Pattern OF_HISTOGRAM = Pattern.compile("_(bucket|count|sum)$");

  @ParameterizedTest
  @ValueSource(strings = {"alerts.yaml", "alerts-test.yaml", "grafana.json"})
  void everyFigureIsDocumented(String file) throws IOException {
    Set<String> known = figures(Files.readString(DOCS.resolve("reference/metrics.md")));
    assertThat(figures(Files.readString(FOLDER.resolve(file))))
        .isNotEmpty()
        .allMatch(figure ->
            known.contains(figure)
                || known.contains(OF_HISTOGRAM.matcher(figure).replaceFirst("")));
  }

  @Test
  void everyAlertLeadsToAPageAndSaysWhatIsWrong() throws IOException {
    JsonNode rules =
        new ObjectMapper(new YAMLFactory())
            .readTree(FOLDER.resolve("alerts.yaml").toFile())
            .at("/groups/0/rules");
    assertThat(rules).hasSizeGreaterThan(10);
    for (JsonNode rule : rules) {
      String name = rule.path("alert").asText();
      assertThat(rule.at("/labels/severity").asText()).as(name).isIn("critical", "warning");
      assertThat(rule.at("/annotations/summary").asText()).as(name).isNotEmpty();
      String[] place = rule.at("/annotations/runbook").asText().split("#");
      Path page = DOCS.resolve("operations").resolve(place[0]);
      assertThat(page).as(name).exists();
      if (place.length > 1) {
        assertThat(anchors(page)).as(name).contains(place[1]);
      }
    }
  }

  private static Set<String> anchors(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase())
        .map(title -> title.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  private static Set<String> figures(String text) {
    return FIGURE.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
  }

  /** Prometheus' own tool reads the rules, and raises what the examples say. */
  @ParameterizedTest
  @ValueSource(strings = {"check rules alerts.yaml", "test rules alerts-test.yaml"})
  void promtoolTakesThem(String arguments) throws Exception {
    Process promtool;
    try {
      promtool =
          new ProcessBuilder(List.of(("promtool " + arguments).split(" ")))
              .directory(FOLDER.toFile())
              .redirectErrorStream(true)
              .start();
    } catch (IOException none) {
      abort("promtool is not on the PATH (Debian's package prometheus has it)");
      return;
    }
    String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(promtool.waitFor()).as(said).isZero();
  }
}
