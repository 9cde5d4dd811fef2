package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.CommandOptions.ClusterOptions;
import dev.colony.cli.CommandOptions.StateOption;
import dev.colony.cli.ModelsCommand.Listed;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.provider.FoundServer;
import dev.colony.inference.provider.FoundServer.Kind;
import dev.colony.inference.provider.FoundServer.Model;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Which model server a command takes, and what {@code colony models} says of it. */
class ModelsCommandTest {

  private static final URI CONFIGURED = URI.create("http://gpu-1:8000/v1");

  @TempDir private Path folder;

  @Test
  void aServerThatIsNamedIsListedWithItsModels() {
    try (RecordingModelServer server = RecordingModelServer.start(r -> Reply.answer("x"))) {
      String url = server.uri().toString();
      Finished listed = CommandLineRun.of("models", "--model-url", url);
      assertThat(listed.status()).as(listed.err()).isZero();
      assertThat(listed.out())
          .contains("localhost:" + server.port(), RecordingModelServer.MODEL, "taken: ");
      Finished json = CommandLineRun.of("models", "--json", "--model-url", url);
      assertThat(json.json().at("/taken/model").asText()).isEqualTo(RecordingModelServer.MODEL);
      assertThat(json.json().at("/servers/0/url").asText()).isEqualTo(url);

      server.models(request -> Reply.status(200, "hello"));
      Rig.assertOneLine(
          CommandLineRun.of("models", "--model-url", url), 4, "answers as no model server");
    }
    Rig.assertOneLine(CommandLineRun.of("models", "--model-url", "x"), 2, "http or https URL");
  }

  @Test
  void oneThatTheEnvironmentNamesIsTakenToo() throws Exception {
    try (RecordingModelServer server = RecordingModelServer.start(r -> Reply.answer("x"));
        ColonyProcess listing =
            ColonyProcess.start(
                folder, Map.of("COLONY_MODEL_URL", server.uri().toString()), "models")) {
      assertThat(listing.await().out()).contains("localhost:" + server.port());
    }
  }

  @Test
  void whatIsTakenAndWhatIsNotIsSaidInATable() {
    FoundServer ollama =
        found(
            Kind.OLLAMA,
            11434,
            "the largest that fits into memory",
            model("qwen3:8b", OptionalLong.empty(), false, true, false),
            model("vectors", OptionalLong.empty(), false, false, false),
            model("big-cloud", OptionalLong.empty(), false, true, true));
    FoundServer vllm =
        found(
            Kind.VLLM, 8000, "it is loaded", model("m", OptionalLong.of(8192), true, true, false));
    FoundServer litellm =
        new FoundServer(
            URI.create("http://127.0.0.1:8080"),
            Kind.LITELLM,
            List.of(),
            Optional.empty(),
            "its models are computed elsewhere");
    assertThat(Listed.of(List.of(ollama, vllm, litellm), false).text().lines().map(String::strip))
        .containsExactly(
            "server                     model      context       tools  state",
            "Ollama at localhost:11434  qwen3:8b   up to 32,768  yes",
            "Ollama at localhost:11434  vectors    up to 32,768  yes    answers no prompts",
            "Ollama at localhost:11434  big-cloud  up to 32,768  yes    computed elsewhere",
            "vLLM at localhost:8000     m          8,192         yes    taken: it is loaded",
            "LiteLLM at localhost:8080: no model is taken, its models are computed elsewhere");
  }

  private static FoundServer found(Kind kind, int port, String why, Model... models) {
    return new FoundServer(
        URI.create("http://127.0.0.1:" + port), kind, List.of(models), Optional.of(models[0]), why);
  }

  private static Model model(
      String id, OptionalLong context, boolean loaded, boolean chats, boolean elsewhere) {
    return new Model(
        id,
        context,
        OptionalLong.of(32_768),
        OptionalLong.empty(),
        loaded,
        chats,
        elsewhere,
        Optional.of(true));
  }

  @Command
  private static final class Line {
    @Mixin private ClusterOptions cluster;
    @Mixin private StateOption state;
  }

  private Line line(String... arguments) {
    return CommandLine.populateCommand(
        new Line(), Rig.with(List.of(arguments), List.of("--state", folder.toString())));
  }

  /** The server that a command line settles on where the configuration names another. */
  private Optional<URI> settled(Line line, String configured) {
    StateDirectory state = line.state.open();
    assertThat(
            line.cluster.settle(
                state,
                CommandConfig.base(line.cluster.config())
                    .withValue("colony.node.model-url", ConfigValueFactory.fromAnyRef(configured)),
                Optional.of("m")))
        .contains("m");
    return line.cluster.modelUrl();
  }

  @Test
  void theOptionWinsOverTheConfigurationAndNoneOverBoth() {
    assertThat(settled(line(), CONFIGURED.toString())).contains(CONFIGURED);
    assertThat(settled(line("--model-url", "http://here:1"), CONFIGURED.toString()))
        .contains(URI.create("http://here:1"));
    assertThat(settled(line("--model-url", "none"), CONFIGURED.toString())).isEmpty();
  }

  @Test
  void whereNoPersonSeesWhatIsTakenNothingIsLookedFor() {
    assertThat(settled(line(), "")).isEmpty();
  }

  @Test
  void aPersonAtATerminalWithoutAModelServerIsWhoOneIsLookedForFor() throws IOException {
    Config plain = CommandConfig.base(Optional.empty());
    assertThat(ModelCheck.searches(plain, true, null)).isTrue();
    assertThat(ModelCheck.searches(plain, true, "false")).isTrue();
    assertThat(ModelCheck.searches(plain, true, "true")).isFalse();
    assertThat(ModelCheck.searches(plain, false, null)).isFalse();
    Path key = Files.writeString(folder.resolve("key"), "secret");
    Path models =
        Files.writeString(
            folder.resolve("models.conf"),
            "colony.inference.replicas.servers = [\"http://gpu-1:8000\"]");
    assertThat(ModelCheck.searches(CommandConfig.base(Optional.of(models)), true, null)).isFalse();
    assertThat(
            ModelCheck.searches(
                plain.withValue(
                    "colony.inference.client.api-key-file",
                    ConfigValueFactory.fromAnyRef(key.toString())),
                true,
                null))
        .isFalse();
  }

  @Test
  void theStateDirectoryHoldsTheSettingsOfItsUser() throws IOException {
    Path own = folder.resolve("colony.conf");
    assertThat(line().cluster.config()).isEmpty();
    Files.writeString(own, "colony.node.model-url = \"" + CONFIGURED + "\"");
    Line line = line();
    assertThat(line.cluster.config()).contains(own);
    line.cluster.settle(
        line.state.open(), CommandConfig.base(line.cluster.config()), Optional.empty());
    assertThat(line.cluster.modelUrl()).contains(CONFIGURED);

    Path other = Files.writeString(folder.resolve("other.conf"), "");
    assertThat(line("--config", other.toString()).cluster.config()).contains(other);
    assertThatThrownBy(() -> line("--config", folder + "/nowhere").cluster.config())
        .isInstanceOf(CommandFailure.class);
  }
}
