package dev.colony.blackboard.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** The contract over a current Redis in a container. */
class ContainerRedisTest extends RedisContract {

  private static final int PORT = 6379;
  private static GenericContainer<?> redis;

  @BeforeAll
  static void start() {
    Assumptions.assumeTrue(
        DockerClientFactory.instance().isDockerAvailable(),
        "no container engine here: the contract is not run over a Redis in a container");
    redis =
        new GenericContainer<>(DockerImageName.parse("redis:8"))
            .withExposedPorts(PORT)
            .withCommand("redis-server", "--appendonly", "yes");
    redis.start();
  }

  @AfterAll
  static void stop() {
    if (redis != null) {
      redis.stop();
    }
  }

  @Override
  String uri() {
    return "redis://" + redis.getHost() + ":" + redis.getMappedPort(PORT);
  }
}
