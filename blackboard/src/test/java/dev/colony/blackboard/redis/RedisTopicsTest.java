package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Topics between processes: what it costs, and who is known to listen. */
class RedisTopicsTest {

  private static final Pattern PUBLISHED = Pattern.compile("cmdstat_publish:calls=(\\d+)");
  private static final BlackboardSettings SETTINGS =
      BlackboardSettings.DEFAULTS.withTopics(
          new BlackboardSettings.Topics(Duration.ofMillis(300), 2));

  private final TestRedis redis = TestRedis.shared();
  private final Scope scope = Scope.agent("t" + UUID.randomUUID(), "c", "a");

  private RedisBlackboards open(RedisConnections connections) {
    return new RedisBlackboards(connections, SETTINGS);
  }

  private RedisConnections connect() {
    return new RedisConnections(redis.uri(), Duration.ofSeconds(20));
  }

  private long published(RedisConnections connections) {
    Matcher calls =
        PUBLISHED.matcher(connections.commands().info("commandstats").toCompletableFuture().join());
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  @Test
  void whatNoProcessListensToIsNotSent() throws Exception {
    try (RedisConnections connections = connect();
        RedisBlackboards node = open(connections);
        RedisConnections others = connect();
        RedisBlackboards client = open(others)) {
      long before = published(connections);
      IntStream.range(0, 1_000).forEach(n -> node.topics().publish(scope, "a", IntNode.valueOf(n)));
      assertThat(published(connections)).isEqualTo(before);

      List<JsonNode> got = new CopyOnWriteArrayList<>();
      Topics.Listening listening = client.topics().listen(scope, "a", got::add);
      await().until(() -> node.topics().heard(scope, "a"));
      node.topics().publish(scope, "a", IntNode.valueOf(1));
      await().until(() -> got.equals(List.of(IntNode.valueOf(1))));
      listening.close();
      await().until(() -> !node.topics().heard(scope, "a"));
    }
  }

  @Test
  void aListenerIsKnownForAsLongAsItIsThereAndToAProcessThatComesLater() throws Exception {
    try (RedisConnections connections = connect();
        RedisBlackboards client = open(connections)) {
      client.topics().listen(scope, "a", message -> {});
      await().until(() -> client.topics().heard(scope, "a"));
      try (RedisConnections late = connect();
          RedisBlackboards node = open(late)) {
        await().until(() -> node.topics().heard(scope, "a"));
      }
    }
  }

  @Test
  void noMoreTopicsAreRememberedThanMay() throws Exception {
    try (RedisConnections connections = connect();
        RedisBlackboards client = open(connections)) {
      List<String> names = List.of("a", "b", "c", "d");
      List<String> got = new CopyOnWriteArrayList<>();
      names.forEach(name -> client.topics().listen(scope, name, message -> got.add(name)));
      await().until(() -> heard(client, names) == 2);
      // Subscriptions of one connection are confirmed in their order: "d" was the last to be said.
      names.forEach(name -> client.topics().publish(scope, name, IntNode.valueOf(1)));
      await().until(() -> got.size() == 2);
      assertThat(heard(client, names)).isEqualTo(2);
    }
  }

  private long heard(RedisBlackboards client, List<String> names) {
    return names.stream().filter(name -> client.topics().heard(scope, name)).count();
  }
}
