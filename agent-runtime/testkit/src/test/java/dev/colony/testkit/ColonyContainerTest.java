package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.utility.MountableFile;

/**
 * What a container is given, without an engine; a node of the image is given the same elsewhere.
 */
class ColonyContainerTest {

  @Test
  void theApiAndTheManagementAreReachedFromOutsideWithAKeyOfItsOwn() {
    ColonyContainer node = new ColonyContainer("registry.example.com/acme/colony:0.1.0");
    node.withRedisUrl("redis://redis:6379").configure();
    assertThat(node.getExposedPorts()).containsExactly(8080, 7626);
    assertThat(node.getEnvMap())
        .containsEntry("COLONY_HTTP_HOST", "0.0.0.0")
        .containsEntry("COLONY_MANAGEMENT_BIND_HOST", "0.0.0.0")
        .containsEntry("COLONY_REDIS_URL", "redis://redis:6379")
        .containsKey("COLONY_ACCESS_KEYS_FILE");
    assertThat(node.key()).startsWith("colony_").isNotEqualTo(new ColonyContainer("x").key());
  }

  @Test
  void whatATestBringsAlongIsHandedOn(@TempDir Path folder) throws Exception {
    Path jar = Files.createFile(folder.resolve("mine.jar"));
    List<String> copied = new ArrayList<>();
    ColonyContainer node =
        new ColonyContainer("colony") {
          @Override
          public ColonyContainer withCopyFileToContainer(MountableFile file, String path) {
            copied.add(Path.of(file.getFilesystemPath()).getFileName() + " to " + path);
            return super.withCopyFileToContainer(file, path);
          }
        };
    node.withRedisUrl("redis://redis:6379")
        .withModel(URI.create("http://models:8000/v1"))
        .withEnv("COLONY_HTTP_HOST", "0.0.0.1")
        .withAgents(jar);
    node.configure();
    assertThat(node.getEnvMap())
        .containsEntry("COLONY_MODEL_URL", "http://models:8000/v1")
        .containsEntry("COLONY_HTTP_HOST", "0.0.0.1");
    assertThat(copied).containsExactly("mine.jar to /opt/colony/agents/mine.jar");
  }
}
