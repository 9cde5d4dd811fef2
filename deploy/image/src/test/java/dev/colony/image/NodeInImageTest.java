package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.github.dockerjava.api.command.InspectContainerResponse;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.client.ColonyClient;
import dev.colony.testkit.ColonyContainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.testcontainers.images.builder.Transferable;

/** The image, run by its entry point and configured by environment alone. */
@Tag("faults")
class NodeInImageTest {

  /** Far more than either takes; what they take is printed. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private static final int AGENTS = 12;
  private static final AgentBlueprint SAYS_WHERE_IT_LIVES =
      AgentBlueprint.of(Blueprint.of(OwnTypes.WHEREABOUTS));

  private final List<NodeInImage> nodes = new ArrayList<>();
  private TestRedis redis;

  @BeforeEach
  void start() {
    LaidOutImage.shared();
    redis = TestRedis.start();
  }

  @AfterEach
  void end() {
    nodes.forEach(NodeInImage::close);
    if (redis != null) {
      redis.close();
    }
  }

  @Test
  void theJvmTakesTheCacheThatTheImageHolds() throws Exception {
    LaidOutImage image = LaidOutImage.shared();
    List<String> program = new ArrayList<>(new Dockerfile().entryPoint());
    program.add(1, "-XX:AOTMode=on");
    program.set(program.size() - 1, "--version");
    assertThat(Project.printed(NodeInImage.command(image, program))).isNotBlank();
  }

  @Test
  void itIsReadyOnceItIsAClusterAndHandsOverItsAgentsWhenItIsToldToEnd() throws Exception {
    System.out.println(
        NodeInImage.canContain()
            ? "run on a read-only root, as the image's user"
            : "run where it is laid out, for want of root");
    FreePorts first = FreePorts.take();
    FreePorts second = FreePorts.take();
    List<Integer> both = List.of(first.management(), second.management());
    NodeInImage one = node("one", first, both);
    await().atMost(LONGEST).untilAsserted(() -> assertThat(one.status("/startup")).isEqualTo(200));
    assertThat(one.status("/alive")).isEqualTo(200);
    assertThat(one.status("/ready")).as("alone, where a cluster is two").isEqualTo(503);

    long begin = System.nanoTime();
    NodeInImage two = node("two", second, both);
    for (NodeInImage node : List.of(one, two)) {
      await().atMost(LONGEST).untilAsserted(() -> assertThat(node.status("/ready")).isEqualTo(200));
    }
    System.out.printf("ready %.1f s after its start%n", (System.nanoTime() - begin) / 1e9);

    try (ColonyClient client = ColonyClient.connect(redis.uri())) {
      List<AgentHandle> agents = spawn(client.colony());
      assertThat(places(agents)).contains(one.process().pid(), two.process().pid());

      long told = System.nanoTime();
      one.process().destroy();
      assertThat(one.process().waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
      System.out.printf("ended %.1f s after SIGTERM%n", (System.nanoTime() - told) / 1e9);
      assertThat(places(agents)).containsOnly(two.process().pid());
      assertThat(two.status("/ready")).isEqualTo(200);
    }
    assertThat(one.log()).doesNotContain("Read-only file system", "Permission denied");
  }

  @Test
  void aNodeAloneIsReadyByItself() throws Exception {
    FreePorts ports = FreePorts.take();
    long begin = System.nanoTime();
    NodeInImage node =
        NodeInImage.start("alone", ports, redis.uri(), 1, List.of(ports.management()));
    nodes.add(node);
    await().atMost(LONGEST).untilAsserted(() -> assertThat(node.status("/ready")).isEqualTo(200));
    System.out.printf("alone ready %.1f s after its start%n", (System.nanoTime() - begin) / 1e9);
  }

  /** By its own wait strategy, client and key; the ports are free ones of this machine. */
  @Test
  void whatAColonyContainerIsGivenStartsANodeThatItFindsReady() throws Exception {
    FreePorts ports = FreePorts.take();
    Placed container = new Placed(ports);
    container.withRedisUrl(redis.uri());
    container.configure();
    // In the image /tmp is empty at the start; a container's files are copied there.
    Path keys = Files.createTempFile(Path.of("/var/tmp"), "colony-keys", ".json");
    try {
      Map<String, String> variables = new HashMap<>(container.getEnvMap());
      String file = variables.put("COLONY_ACCESS_KEYS_FILE", keys.toString());
      Files.write(keys, container.copied.get(file));
      Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-r--r--"));
      NodeInImage node = NodeInImage.start("contained", ports, variables);
      nodes.add(node);
      container.waitUntilContainerStarted();
      assertThat(places(spawn(container.colony()))).containsOnly(node.process().pid());
    } finally {
      Files.delete(keys);
    }
  }

  /** A container that is a process of this machine; it is reached as from another one. */
  private static final class Placed extends ColonyContainer {

    private final FreePorts ports;
    private Map<String, byte[]> copied;

    Placed(FreePorts ports) {
      super("colony");
      this.ports = ports;
    }

    @Override
    public ColonyContainer withCopyToContainer(Transferable file, String path) {
      copied = Map.of(path, file.getBytes());
      return super.withCopyToContainer(file, path);
    }

    /** Where nothing answers that listens on 127.0.0.1 alone. */
    @Override
    public String getHost() {
      return "127.0.0.2";
    }

    @Override
    public Integer getMappedPort(int inContainer) {
      return switch (inContainer) {
        case 8080 -> ports.http();
        case 7626 -> ports.management();
        default -> throw new IllegalArgumentException("no port " + inContainer);
      };
    }

    @Override
    public InspectContainerResponse getContainerInfo() {
      return new InspectContainerResponse();
    }

    @Override
    protected void configure() {
      super.configure();
    }

    @Override
    protected void waitUntilContainerStarted() {
      super.waitUntilContainerStarted();
    }
  }

  private NodeInImage node(String name, FreePorts ports, List<Integer> contactPoints)
      throws IOException {
    NodeInImage node = NodeInImage.start(name, ports, redis.uri(), 2, contactPoints);
    nodes.add(node);
    return node;
  }

  private static List<AgentHandle> spawn(Colony colony) {
    return IntStream.range(0, AGENTS)
        .mapToObj(i -> new AgentId("acme", "image", "agent-" + i))
        .map(id -> colony.spawn(id, SAYS_WHERE_IT_LIVES).toCompletableFuture().join())
        .toList();
  }

  /** The process that each agent lives in. */
  private static List<Long> places(List<AgentHandle> agents) {
    RunOptions options = RunOptions.namespace("image").timeout(LONGEST);
    return agents.stream()
        .map(agent -> agent.run(JsonNodeFactory.instance.objectNode(), options).result())
        .toList()
        .stream()
        .map(result -> result.toCompletableFuture().join())
        .map(AgentRun::output)
        .map(output -> output.asLong())
        .toList();
  }
}
