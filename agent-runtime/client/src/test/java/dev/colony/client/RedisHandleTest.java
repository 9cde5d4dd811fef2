package dev.colony.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.server.TestRedis;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** With nothing but the URL of a Redis. */
class RedisHandleTest {

  static final Config CONFIG =
      ConfigFactory.parseString(
              """
              colony.agent.client.poll = 100ms
              colony.blackboard.events { kept = %d, kept-for-durable = %d }
              colony.blackboard.inbox.most-per-recipient = %d
              """
                  .formatted(HandleContract.KEPT, HandleContract.KEPT, HandleContract.MOST_WAITING))
          .withFallback(ConfigFactory.load());

  private static ColonyClient cluster;
  private static ColonyClient holder;

  @BeforeAll
  static void connect() {
    cluster = ColonyClient.connect(TestRedis.shared().uri(), CONFIG);
    holder = ColonyClient.connect(TestRedis.shared().uri(), CONFIG);
  }

  @AfterAll
  static void close() {
    Stream.of(cluster, holder).forEach(ColonyClient::close);
  }

  /** Held by a program that is no member of the cluster. */
  @Nested
  class Detached extends HandleContract {
    @Override
    protected Blackboards cluster() {
      return cluster.blackboards();
    }

    @Override
    protected Colony colony(AgentId id) {
      return holder.colony();
    }
  }

  /** Held by another agent, on behalf of a run of its own. */
  @Nested
  class Owned extends HandleContract {
    @Override
    protected Blackboards cluster() {
      return cluster.blackboards();
    }

    @Override
    protected Colony colony(AgentId id) {
      AgentId owner = new AgentId(id.tenant(), id.colony(), "owner");
      return holder.colony().within(ExecutionContext.of(owner, new RunId("of-owner")));
    }
  }
}
