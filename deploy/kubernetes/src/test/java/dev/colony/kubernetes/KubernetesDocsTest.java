package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.cli.ColonyCommand;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RequestBody.RunRequestBody;
import dev.colony.core.registry.AgentTypes;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pages on Kubernetes show is there: files, values, names of objects, a run's request. */
class KubernetesDocsTest {

  private static final Pattern FILE = Pattern.compile("deploy/kubernetes/[\\w./-]+");
  private static final Pattern SET = Pattern.compile("--set ([\\w.]+)=");
  private static final Pattern VALUE =
      Pattern.compile(
          "`((?:nodes|redis|model|api|tls|networkPolicy|autoscaling|disruption)\\.[\\w.]+)`");
  private static final Pattern EXAMPLE = Pattern.compile("(?m)^\\| `([\\w-]+)\\.yaml` \\|");
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^\\$ \\./colony (?!image )([^#\\n]*)");
  private static final Pattern JSON = Pattern.compile("(?ms)^```json\\n(.*?)^```\\n");

  @ParameterizedTest
  @ValueSource(strings = {"operations/kubernetes.md", "operations/upgrade.md"})
  void filesAndValuesExist(String page) throws IOException {
    String text = read(page);
    assertThat(groups(FILE, 0, text))
        .isNotEmpty()
        .allMatch(file -> Files.exists(ProjectRoot.find().resolve(file)));
    Set<String> values = DocumentedValues.ofDefaults().keySet();
    assertThat(groups(SET, 1, text)).isNotEmpty().allMatch(values::contains);
    assertThat(groups(VALUE, 1, text))
        .isNotEmpty()
        .allMatch(
            shown -> values.stream().anyMatch(value -> (value + ".").startsWith(shown + ".")));
  }

  @Test
  void theKeyIsMadeWhereTheSecretTakesItFrom(@TempDir Path folder) throws IOException {
    List<String> commands = groups(COMMAND, 1, read("operations/kubernetes.md"));
    assertThat(commands).hasSize(1);
    Path keys = folder.resolve("keys.json");
    assertThat(
            ColonyCommand.execute(
                commands.getFirst().strip().replace("keys.json", keys.toString()).split(" ")))
        .isZero();
    assertThat(keys).content().contains("acme", "operator");
    JsonNode values = StrictYaml.documents(ChartFolder.read(ChartFolder.DEFAULTS)).getFirst();
    assertThat(values.at("/api/keysSecret/key").asText()).isEqualTo("keys.json");
  }

  @Test
  void everyExampleOfValuesIsListed() throws IOException {
    Set<String> listed = Set.copyOf(groups(EXAMPLE, 1, read("operations/kubernetes.md")));
    assertThat(
            ChartFolder.valueFiles().stream()
                .skip(1)
                .map(file -> file.getFileName().toString().replace(".yaml", ""))
                .collect(Collectors.toSet()))
        .isEqualTo(listed);
  }

  @Test
  void theRunIsOneThatNodesTake() throws IOException {
    JsonNode request =
        new ObjectMapper().readTree(groups(JSON, 1, read("operations/kubernetes.md")).getFirst());
    AgentBlueprint blueprint =
        RequestBody.read(request.get("agent"), RequestBody.Spawn.class).blueprint();
    AgentTypes.installed().check(blueprint);
    ObjectNode order = request.deepCopy();
    order.remove("agent");
    assertThat(RunRequestBody.fromJson(order).options().namespace()).isEqualTo("trial");
  }

  private static String read(String page) throws IOException {
    return Files.readString(ProjectRoot.find().resolve("docs").resolve(page));
  }

  private static List<String> groups(Pattern pattern, int group, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(group)).toList();
  }
}
