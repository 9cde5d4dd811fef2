package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.server.node.LocalNodes;
import dev.colony.server.node.Node;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Python client that openapi-python-client generates from the document of a node. Nothing is
 * installed: the generator is that of the virtual environment {@code clients} under COLONY_SERVERS,
 * or {@code ~/.cache/colony-servers} where that is not set.
 */
@Tag("real")
class GeneratedClientTest {

  private static final String SCRIPT = "openapi-client.py";
  private static final long LONGEST_SECONDS = 180;

  /** The generator knows no YAML, and formats what it writes by a tool that need not be there. */
  private static final String GENERATOR =
      """
      post_hooks: []
      content_type_overrides:
        application/yaml: text/plain
      """;

  @TempDir private Path folder;

  @Test
  void itSpawnsRunsFollowsAndApproves() throws Exception {
    Path programs = programs();
    Config config = LocalNodes.config("");
    RedisServerProcess redis =
        RedisServerProcess.ensure(ServerSettings.fromConfig(config, folder.resolve("redis")));
    Node node =
        Node.start(LocalNodes.options(1, redis.uri(), OptionalInt.of(0)).getFirst(), config);
    try {
      String document = ApiClient.at(URI.create(node.api())).get("/v1/openapi.json").is(200).text();
      Files.writeString(folder.resolve("openapi.json"), document);
      Files.writeString(folder.resolve("generator.yaml"), GENERATOR);
      run(
          List.of(
              programs.resolve("openapi-python-client").toString(),
              "generate",
              "--path=openapi.json",
              "--config=generator.yaml",
              "--meta=none",
              "--fail-on-warning",
              "--output-path=colony"));
      try (InputStream script = getClass().getResourceAsStream("/" + SCRIPT)) {
        Files.copy(script, folder.resolve(SCRIPT));
      }
      JsonNode told =
          ApiClient.parse(run(List.of(programs.resolve("python").toString(), SCRIPT, node.api())));
      assertThat(told.path("asked")).as(told.toString()).hasSize(1);
      assertThat(told.path("endedBefore").asBoolean()).isFalse();
      assertThat(told.path("answered").asInt()).isEqualTo(202);
      assertThat(told.path("status").asText()).isEqualTo("COMPLETED");
      assertThat(told.path("output").asInt()).isEqualTo(2);
      assertThat(Event.all(told.path("stream").asText().lines()))
          .extracting(Event::name)
          .contains("progress")
          .endsWith("end");
    } finally {
      node.close();
      redis.stop();
    }
  }

  private static Path programs() {
    Path servers =
        Optional.ofNullable(System.getenv("COLONY_SERVERS"))
            .map(Path::of)
            .orElse(Path.of(System.getProperty("user.home"), ".cache", "colony-servers"));
    Path programs = servers.resolve("clients").resolve("bin");
    Assumptions.assumeTrue(
        Files.isExecutable(programs.resolve("openapi-python-client")),
        "the generated client is not run: python3 -m venv %1$s && %1$s/bin/pip install"
                .formatted(servers.resolve("clients"))
            + " openapi-python-client");
    return programs;
  }

  /** What a program prints. */
  private String run(List<String> command) throws Exception {
    Path out = folder.resolve("out.txt");
    Path faults = folder.resolve("faults.txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(faults.toFile())
            .start();
    try {
      assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS))
          .as(command.toString())
          .isTrue();
      assertThat(process.exitValue())
          .as("%s\n%s%s", command, Files.readString(out), Files.readString(faults))
          .isZero();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(out);
  }
}
