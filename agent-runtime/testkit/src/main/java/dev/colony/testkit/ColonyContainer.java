package dev.colony.testkit;

import dev.colony.agent.client.Colony;
import dev.colony.client.http.HttpColony;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * A node from the image that {@code deploy/image/Dockerfile} builds, as a container of
 * Testcontainers, for tests of what will be deployed. It is started when the node is ready to host
 * agents, and has a Redis of its own beside it unless {@link #withRedisUrl} names one. Its API
 * takes one key, made anew for each container, which may do everything.
 *
 * <pre>{@code
 * try (ColonyContainer node = new ColonyContainer("colony")) {
 *   node.start();
 *   AgentHandle agent = node.colony().agent(new AgentId("acme", "lab", "greeter"));
 * }
 * }</pre>
 *
 * <p>Needs the library {@code org.testcontainers:testcontainers}, which a project that uses this
 * class adds itself, and a container engine. The tests of this project hold the container's
 * configuration to a node that is started from the image's files without an engine; no engine was
 * there to run the container.
 */
public class ColonyContainer extends GenericContainer<ColonyContainer> {

  private static final int API = 8080;
  private static final int MANAGEMENT = 7626;

  private static final String REDIS_URL = "COLONY_REDIS_URL";
  private static final DockerImageName REDIS = DockerImageName.parse("redis:7.2.11");
  private static final String REDIS_NAME = "colony-redis";
  private static final int REDIS_PORT = 6379;

  private static final String KEYS = "/tmp/colony-keys.json";
  private static final String AGENTS = "/opt/colony/agents/";
  private static final Duration LONGEST_START = Duration.ofMinutes(2);

  private final String key = "colony_" + UUID.randomUUID();
  private GenericContainer<?> redis;
  private Network between;

  /**
   * One that is not started yet.
   *
   * @param image its name, as {@code docker build -t} had it
   */
  public ColonyContainer(String image) {
    this(DockerImageName.parse(image));
  }

  /** The same by a name that may have a registry, a version and a digest. */
  public ColonyContainer(DockerImageName image) {
    super(image);
  }

  /** Has the node work on a Redis as its network reaches it, in place of one of its own. */
  public ColonyContainer withRedisUrl(String url) {
    return withEnv(REDIS_URL, url);
  }

  /**
   * Has a server of OpenAI's protocol answer the agents' model calls, in place of the embedded
   * replica.
   *
   * @param url as the node's network reaches it; a server of the test, such as a {@link FakeModel},
   *     at {@code http://host.testcontainers.internal:PORT} once {@code
   *     Testcontainers.exposeHostPorts(PORT)} was called
   */
  public ColonyContainer withModel(URI url) {
    return withEnv("COLONY_MODEL_URL", url.toString());
  }

  /** Puts a jar with agents of one's own onto the node's class path. */
  public ColonyContainer withAgents(Path jar) {
    return withCopyFileToContainer(MountableFile.forHostPath(jar), AGENTS + jar.getFileName());
  }

  /** Where the HTTP API of the started node is. */
  public URI url() {
    return URI.create("http://%s:%d".formatted(getHost(), getMappedPort(API)));
  }

  /** The key that the API takes, of all tenants and every role. */
  public String key() {
    return key;
  }

  /** The agents of the started node, over its API. Nothing has to be closed. */
  public Colony colony() {
    return HttpColony.at(url(), key);
  }

  /** Variables that the test has given go before those from here. */
  @Override
  protected void configure() {
    withExposedPorts(API, MANAGEMENT);
    Map<String, String> usual =
        Map.of(
            "COLONY_HTTP_HOST", "0.0.0.0",
            "COLONY_MANAGEMENT_BIND_HOST", "0.0.0.0",
            "COLONY_ACCESS_KEYS_FILE", KEYS);
    usual.forEach(getEnvMap()::putIfAbsent);
    withCopyToContainer(Transferable.of(keys(key)), KEYS);
    waitingFor(Wait.forHttp("/ready").forPort(MANAGEMENT).withStartupTimeout(LONGEST_START));
    if (!getEnvMap().containsKey(REDIS_URL)) {
      if (getNetwork() == null) {
        between = Network.newNetwork();
        withNetwork(between);
      }
      redis =
          new GenericContainer<>(REDIS)
              .withNetwork(getNetwork())
              .withNetworkAliases(REDIS_NAME)
              .withExposedPorts(REDIS_PORT)
              .withCommand("redis-server", "--appendonly", "yes");
      redis.start();
      withRedisUrl("redis://%s:%d".formatted(REDIS_NAME, REDIS_PORT));
    }
  }

  /** Ends the node and the Redis of its own, with all that they hold. */
  @Override
  public void stop() {
    super.stop();
    if (redis != null) {
      redis.stop();
      redis = null;
      getEnvMap().remove(REDIS_URL);
    }
    if (between != null) {
      between.close();
      between = null;
      setNetwork(null);
    }
  }

  private static String keys(String key) {
    return """
    {"keys": [{"name": "test", "tenant": "*", "role": "admin", "sha256": "%s"}]}
    """
        .formatted(HexFormat.of().formatHex(sha256(key)));
  }

  private static byte[] sha256(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException never) {
      throw new IllegalStateException(never);
    }
  }
}
