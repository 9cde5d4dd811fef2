package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.node.entity.AgentSettings;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import java.util.function.Consumer;

/** What a process outside the cluster needs of it: Redis, and nothing else. */
final class ClusterClient implements AutoCloseable {

  private final BlackboardClient blackboard;
  private final Config config;
  private final Colony colony;
  private final PageStore pages;

  private ClusterClient(BlackboardClient blackboard, Config config) {
    this.blackboard = blackboard;
    this.config = config;
    this.colony = colony(HomeResolver.byHash(units()));
    this.pages =
        new BlackboardPageStore(
            blackboards(), Node.PAGES_TENANT, "client", StoreSettings.fromConfig(config));
  }

  private int units() {
    return AgentSettings.fromConfig(config).placementUnits();
  }

  private Colony colony(HomeResolver homes) {
    return new BlackboardColony(blackboards(), homes, ClientSettings.fromConfig(config));
  }

  /** Connects, see {@link BlackboardClient#connect}. */
  static ClusterClient connect(String redisUri, Config config, Consumer<String> notice) {
    return new ClusterClient(BlackboardClient.connect(redisUri, config, notice), config);
  }

  Blackboards blackboards() {
    return blackboard.blackboards();
  }

  Colony colony() {
    return colony;
  }

  /** The same, which spawns agents that share something on one node. */
  Colony colonyOf(String shared) {
    return colony(HomeResolver.together(shared, units()));
  }

  PageStore pages() {
    return pages;
  }

  @Override
  public void close() {
    blackboard.close();
  }
}
