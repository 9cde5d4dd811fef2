package dev.colony.node.entity;

import static dev.colony.node.entity.JournaledAgents.join;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colony.agent.AgentId;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.node.entity.EntityClient.AcceptReply;
import io.lettuce.core.Range;
import io.lettuce.core.XAddArgs;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Redis has lost an event of an agent. */
class DamagedJournalTest {

  private final JournaledAgents world = new JournaledAgents("");
  private final AgentId id = world.id("damaged");

  @AfterEach
  void end() {
    world.close();
  }

  @Test
  void whoeverAsksIsToldAndTheAgentIsTriedAgainWhenItIsMended() throws Exception {
    join(world.agents.colony.spawn(id, TestTypes.BLUEPRINT));
    ActorRef<AgentMessage> sound = world.start(id);
    world.accept(sound, id, "r1", TestTypes.input(1, "internal"));
    world.result(id, "r1");
    world.stop(sound);
    byte[] lost = takeAway(4);

    ListAppender<ILoggingEvent> log = new ListAppender<>();
    Logger incarnation = (Logger) LoggerFactory.getLogger(FailureWatch.class);
    log.start();
    incarnation.addAppender(log);
    ActorRef<AgentMessage> damaged = world.start(id);
    for (int i = 0; i < 3; i++) {
      assertThat(world.accept(damaged, id, "r2", TestTypes.input(1, "internal")))
          .isInstanceOfSatisfying(
              AcceptReply.Rejected.class,
              rejected ->
                  assertThat(rejected.reason())
                      .contains("cannot be recovered", "is damaged", "sequence number 4"));
    }
    assertThat(world.agents.passivations.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    world.stop(damaged);
    incarnation.detachAppender(log);
    assertThat(List.copyOf(log.list))
        .as("said once, however often it is tried")
        .filteredOn(line -> line.getLevel() == Level.ERROR)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .contains(id.persistenceId(), "cannot be recovered", "is damaged");

    putBack(4, lost);
    ActorRef<AgentMessage> mended = world.start(id);
    assertThat(world.accept(mended, id, "r3", TestTypes.input(1, "internal")))
        .isEqualTo(new AcceptReply.Accepted());
    assertThat(world.result(id, "r3").output().asText()).isEqualTo("a0=SUCCEEDED");
  }

  private byte[] takeAway(long number) {
    try (RedisConnections redis = connect()) {
      byte[] frame =
          redis
              .commands()
              .xrange(stream(), Range.create(number + "-0", number + "-0"))
              .toCompletableFuture()
              .join()
              .getFirst()
              .getBody()
              .get("f");
      redis.commands().xdel(stream(), number + "-0").toCompletableFuture().join();
      return frame;
    }
  }

  /** A stream takes entries at its end only, so that all behind it are written again. */
  private void putBack(long number, byte[] frame) {
    try (RedisConnections redis = connect()) {
      var entries =
          redis.commands().xrange(stream(), Range.unbounded()).toCompletableFuture().join();
      redis.commands().del(stream()).toCompletableFuture().join();
      entries.stream()
          .filter(entry -> Long.parseLong(entry.getId().split("-")[0]) < number)
          .forEach(entry -> add(redis, entry.getId(), entry.getBody().get("f")));
      add(redis, number + "-0", frame);
      entries.stream()
          .filter(entry -> Long.parseLong(entry.getId().split("-")[0]) > number)
          .forEach(entry -> add(redis, entry.getId(), entry.getBody().get("f")));
    }
  }

  private void add(RedisConnections redis, String entry, byte[] frame) {
    redis
        .commands()
        .xadd(stream(), new XAddArgs().id(entry), Map.of("f", frame))
        .toCompletableFuture()
        .join();
  }

  private static RedisConnections connect() {
    return new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20));
  }

  /** Where the package description of the journal says that the events stand. */
  private String stream() {
    CRC32 crc = new CRC32();
    crc.update(id.persistenceId().getBytes(StandardCharsets.UTF_8));
    return "colony:{j-" + crc.getValue() % 64 + "}:e:" + id.persistenceId();
  }
}
