package dev.colony.examples;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.client.ColonyClient;
import dev.colony.client.HandleContract;
import dev.colony.client.http.HttpColony;
import dev.colony.core.registry.AgentTypes;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.Started;
import dev.colony.server.AgentsReader;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.http.AgentTrial;
import dev.colony.server.http.ApiListener;
import dev.colony.server.http.ApiSources;
import dev.colony.server.http.ClusterViews.ClusterView;
import dev.colony.server.http.ClusterViews.PagesView;
import dev.colony.server.http.HttpApi;
import dev.colony.server.http.HttpSettings;
import dev.colony.server.node.NodeConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/**
 * With nothing but the URL of the HTTP API. Here because this module sees both the API and the one
 * contract of handles.
 */
class HttpHandleTest {

  private static final Started STARTED = new Started();

  @TempDir private static Path folder;

  private static ColonyClient cluster;
  private static Colony holder;

  @BeforeAll
  static void serve() {
    ServerSettings redis = ServerSettings.in(folder.resolve("redis"));
    RedisServerProcess server = RedisServerProcess.ensure(redis);
    STARTED.add(() -> server.stop());
    Config config =
        ConfigFactory.parseString(
                """
                pekko.actor.provider = local
                colony.http.port = 0
                colony.agent.journal.redis-uri = "%s"
                colony.agent.client.poll = 100ms
                colony.blackboard.events { kept = %d, kept-for-durable = %d }
                colony.blackboard.inbox.most-per-recipient = %d
                """
                    .formatted(
                        server.uri(),
                        HandleContract.KEPT,
                        HandleContract.KEPT,
                        HandleContract.MOST_WAITING))
            .withFallback(NodeConfig.base(Optional.empty()));
    cluster = STARTED.add(ColonyClient.connect(server.uri(), config));
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "api", config);
    STARTED.add(() -> {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().join();
    });
    HttpApi api =
        STARTED.add(
            HttpApi.start(
                system,
                HttpSettings.fromConfig(config),
                AccessSettings.OPEN,
                new ApiSources(
                    cluster.colony(),
                    cluster.blackboards(),
                    new AgentsReader(
                        cluster.blackboards(), JournalExtension.reader(system), config),
                    () -> new ClusterView("here", Optional.empty(), List.of()),
                    () -> new PagesView(0, 0, List.of()),
                    null,
                    null,
                    new ApiSources.Models(null, null),
                    null,
                    new AgentTrial(AgentTypes.installed(), (id, blueprint) -> Optional.empty())),
                ApiListener.NONE));
    holder = HttpColony.at(api.uri(), "");
  }

  @AfterAll
  static void close() {
    STARTED.close();
  }

  /** Held by a program. */
  @Nested
  class Detached extends HandleContract {
    @Override
    protected Blackboards cluster() {
      return cluster.blackboards();
    }

    @Override
    protected Colony colony(AgentId id) {
      return holder;
    }
  }

  /** Held on behalf of a run. */
  @Nested
  class Owned extends HandleContract {
    @Override
    protected Blackboards cluster() {
      return cluster.blackboards();
    }

    @Override
    protected Colony colony(AgentId id) {
      AgentId owner = new AgentId(id.tenant(), id.colony(), "owner");
      return holder.within(ExecutionContext.of(owner, new RunId("of-owner")));
    }
  }
}
