package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a node's log says of a Redis that goes and comes. */
class RedisLogTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @TempDir private Path folder;

  @Test
  void oneLineForEachThingThatHappens() {
    ServerSettings settings =
        ServerSettings.fromConfig(NodeConfig.base(Optional.empty()), folder.resolve("redis"));
    RedisServerProcess server = RedisServerProcess.ensure(settings);
    Logger logger = (Logger) LoggerFactory.getLogger(RedisLog.class);
    log.start();
    logger.addAppender(log);
    try (RedisConnections redis =
        new RedisConnections(
            server.uri(),
            RedisSettings.withTimeout(PATIENCE).withSilentAfter(Duration.ofMillis(300)))) {
      RedisLog.follow(redis);
      // Behind its own question, on the same connection: it knows the process that is killed then.
      redis.runIds().toCompletableFuture().join();
      ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
      process.destroyForcibly();
      process.onExit().join();
      await().atMost(PATIENCE).until(() -> !lines().isEmpty());
      server = RedisServerProcess.ensure(settings);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(lines())
                  .anyMatch(line -> line.matches(".* answers again, after [0-9.]+ s"))
                  .anyMatch(
                      line -> line.endsWith("it was started anew, or a replica was promoted")));
      assertThat(lines())
          .as("said once, whatever else is")
          .filteredOn(line -> line.contains("another process"))
          .hasSize(1);
      assertThat(lines().getFirst())
          .isEqualTo(
              "Redis at %s has not answered for 0.3 s: what needs it waits"
                  .formatted(redis.address()));
    } finally {
      logger.detachAppender(log);
      server.stop();
    }
  }

  private List<String> lines() {
    return List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
