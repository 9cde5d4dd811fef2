package dev.colony.agent.retention;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.bench.FakeModel;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.runtime.JournaledOutstanding;
import dev.colony.agent.session.Sessions;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.TestRedis;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;

/** A node with all of its state on a Redis of its own, and a look at what lies there. */
final class KeptNode implements AutoCloseable {

  private static final String REDIS =
      """
      pekko.persistence.journal.plugin = "colony.agent.journal"
      pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
      colony.agent.journal.redis-uri = "%s"
      pekko.actor.serialize-messages = off
      """;

  final TestRedis redis = TestRedis.start(Fsync.NO);
  final RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
  final RedisBlackboards boards;
  final LocalNode node;

  KeptNode(String settings) {
    boards =
        new RedisBlackboards(
            connections, BlackboardSettings.DEFAULTS.withExpiryInterval(Duration.ofMillis(50)));
    ActorTestKit kit =
        ActorTestKit.create(
            ConfigFactory.parseString(settings)
                .withFallback(ConfigFactory.parseString(REDIS.formatted(redis.uri())))
                .withFallback(LocalNode.config("")));
    node =
        new LocalNode(
            kit,
            boards,
            new FakeModel(),
            new TestTypes(),
            new JournaledOutstanding(kit.system()),
            (agent, took) -> {});
  }

  Sessions sessions() {
    return node.colony().sessions("acme", "kept");
  }

  AgentHandle spawn(String name) {
    return get(node.colony().spawn(new AgentId("acme", "kept", name), TestTypes.BLUEPRINT));
  }

  CompletionStage<AgentRun> run(AgentHandle agent, String session) {
    return agent
        .run(
            TestTypes.input(1, "internal"),
            RunOptions.namespace("kept").session(new SessionId(session)))
        .result();
  }

  /**
   * All keys but those by which repeated calls are known, which Redis lets go of by itself, and the
   * streams of the inbox, of which each bucket has one for good.
   */
  Set<String> keys() {
    Set<String> keys = allKeys();
    keys.removeIf(key -> key.contains(":lanes/") || key.endsWith(":inbox"));
    return keys;
  }

  Set<String> allKeys() {
    Set<String> keys = new TreeSet<>();
    ScanCursor cursor = ScanCursor.INITIAL;
    do {
      KeyScanCursor<String> page =
          get(connections.commands().scan(cursor, ScanArgs.Builder.limit(10_000)));
      keys.addAll(page.getKeys());
      cursor = page;
    } while (!cursor.isFinished());
    return keys;
  }

  long usedMemory() {
    String info = get(connections.commands().info("memory"));
    return info.lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(line -> Long.parseLong(line.substring("used_memory:".length()).strip()))
        .findFirst()
        .orElseThrow();
  }

  static <T> T get(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    node.close();
    boards.close();
    connections.close();
    redis.close();
  }
}
