package dev.colony.node.entity;

import static dev.colony.node.entity.JournaledAgents.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.journal.LostLogs;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Redis has come back without the newest events of an agent, and is consistent. */
class StoreWentBackTest {

  private static final String TICKS = "colony:{j-0}:ticks";

  private final JournaledAgents world = new JournaledAgents("");
  private final AgentId id = world.id("older");

  @AfterEach
  void end() {
    world.close();
  }

  @Test
  void agentDoesNothingUntilAnOperatorLetsItGoOn() {
    ActorRef<AgentMessage> agent = worked();
    long had = last();
    cut(had - 2);

    assertPutOff(agent);
    // that the run's result is published is journaled behind the result
    assertThat(lost())
        .singleElement()
        .satisfies(one -> {
          assertThat(one.persistenceId()).isEqualTo(id.persistenceId());
          assertThat(one.stored()).isEqualTo(had - 2);
          assertThat(one.acknowledged()).isBetween(had, had + 1);
        });

    assertThat(join(losses().decide(id.persistenceId(), LostLogs.Decision.CONTINUE))).isTrue();
    assertGoesOn(agent);
    assertThat(lost()).isEmpty();
  }

  @Test
  void whatTheNodeRemembersIsRestored() {
    ActorRef<AgentMessage> agent = worked();
    long had = last();
    cut(had - 2);
    assertPutOff(agent);

    world.watch("node");
    world.forget(id);
    join(losses().restore(id.persistenceId()));
    await().atMost(Duration.ofSeconds(20)).until(() -> lost().isEmpty());
    assertThat(last()).isGreaterThanOrEqualTo(had);
    assertGoesOn(agent);
    assertThat(world.result(id, "r1").output().asText())
        .as("lost with its event, and published again")
        .contains("a0=SUCCEEDED");
  }

  @Test
  void whatACallerAsksForAgainHasTheResultThatItHad() {
    ActorRef<AgentMessage> agent = worked();
    AgentRun before = world.result(id, "r1");
    world.forget(id);
    assertThat(world.accept(agent, id, "r1", TestTypes.input(2, "once")))
        .isInstanceOf(AcceptReply.Accepted.class);
    assertThat(world.result(id, "r1")).isEqualTo(before);
  }

  @Test
  void resultThatIsLostWithoutTheJournalIsPublishedAgain() {
    world.watch("publisher");
    await().until(() -> tick("publisher") > 0);
    worked();
    AgentRun before = world.result(id, "r1");
    await().until(() -> tick("publisher") > 1);
    world.forget(id);
    try (RedisConnections redis = connect()) {
      join(redis.commands().hset(TICKS, "publisher", new byte[] {'0'}));
    }
    assertThat(world.result(id, "r1")).isEqualTo(before);
  }

  private static long tick(String node) {
    try (RedisConnections redis = connect()) {
      byte[] stored = join(redis.commands().hget(TICKS, node));
      return stored == null ? 0 : Long.parseLong(new String(stored, StandardCharsets.UTF_8));
    }
  }

  private ActorRef<AgentMessage> worked() {
    join(world.agents.colony.spawn(id, TestTypes.BLUEPRINT));
    ActorRef<AgentMessage> agent = world.start(id);
    world.accept(agent, id, "r1", TestTypes.input(2, "once"));
    world.result(id, "r1");
    return agent;
  }

  /** The request that finds out is not answered, and is made again. */
  private void assertPutOff(ActorRef<AgentMessage> agent) {
    world.ask(agent, id, "first", TestTypes.input(1, "internal"));
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() ->
            assertThat(
                    world.told(
                        agent, Duration.ofSeconds(1), replyTo -> new AgentMessage.Start(replyTo)))
                .isInstanceOfSatisfying(
                    AcceptReply.Busy.class,
                    busy -> assertThat(busy.reason()).contains("lacks event", "operator")));
  }

  /** Its next actor does, which the shard starts. */
  private void assertGoesOn(ActorRef<AgentMessage> former) {
    world.stop(former);
    assertThat(world.accept(world.start(id), id, "r2", TestTypes.input(1, "internal")))
        .isInstanceOf(AcceptReply.Accepted.class);
    assertThat(world.result(id, "r2").status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  private LostLogs losses() {
    return world.losses();
  }

  private List<LostLogs.Lost> lost() {
    return join(losses().list()).stream()
        .filter(one -> one.persistenceId().equals(id.persistenceId()))
        .toList();
  }

  private long last() {
    try (RedisConnections redis = connect()) {
      return Long.parseLong(
          new String(join(redis.commands().hget(key("m:"), "last")), StandardCharsets.UTF_8));
    }
  }

  /** Sets the log back, as a server does that comes back older. */
  private void cut(long to) {
    try (RedisConnections redis = connect()) {
      var entries = join(redis.commands().xrange(key("e:"), io.lettuce.core.Range.unbounded()));
      join(redis.commands().del(key("e:")));
      entries.stream()
          .filter(entry -> Long.parseLong(entry.getId().split("-")[0]) <= to)
          .forEach(entry ->
              join(
                  redis
                      .commands()
                      .xadd(
                          key("e:"),
                          new io.lettuce.core.XAddArgs().id(entry.getId()),
                          entry.getBody())));
      join(
          redis
              .commands()
              .hset(key("m:"), "last", Long.toString(to).getBytes(StandardCharsets.UTF_8)));
    }
  }

  private String key(String part) {
    CRC32 crc = new CRC32();
    crc.update(id.persistenceId().getBytes(StandardCharsets.UTF_8));
    return "colony:{j-" + crc.getValue() % 64 + "}:" + part + id.persistenceId();
  }

  private static RedisConnections connect() {
    return new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(10));
  }
}
