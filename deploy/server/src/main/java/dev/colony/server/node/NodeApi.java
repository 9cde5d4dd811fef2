package dev.colony.server.node;

import com.typesafe.config.Config;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.spend.SpendingReader;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.server.access.AccessSettings;
import dev.colony.server.agents.AgentsReader;
import dev.colony.server.http.AgentTrial;
import dev.colony.server.http.ApiListener;
import dev.colony.server.http.ApiSources;
import dev.colony.server.http.ClusterViews.ClusterView;
import dev.colony.server.http.ClusterViews.PagesView;
import dev.colony.server.http.HttpApi;
import dev.colony.server.http.HttpSettings;
import dev.colony.server.mcp.GroupPages;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.table.PageTable;
import java.net.URI;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.Cluster;

/** The HTTP API of a node, which ends as the first thing of the node's own end. */
final class NodeApi {

  private NodeApi() {}

  /** What of the node it tells of. */
  record Parts(
      Colony colony,
      Blackboards blackboards,
      PageTable table,
      PageStore pages,
      ApiSources.Models models,
      SpendingReader spending,
      AgentTrial trial,
      ApiListener listener) {}

  /** Starts it, and says where it listens. */
  static URI start(ActorSystem<?> system, HttpSettings settings, Parts parts) {
    Config config = system.settings().config();
    Cluster cluster = Cluster.get(system);
    HttpApi api =
        HttpApi.start(
            system,
            settings,
            AccessSettings.fromConfig(config),
            new ApiSources(
                parts.colony(),
                parts.blackboards(),
                new AgentsReader(parts.blackboards(), JournalExtension.reader(system), config),
                () -> ClusterView.of(cluster),
                () -> PagesView.of(parts.table().snapshot()),
                new GroupPages(parts.table(), parts.pages()),
                parts.models(),
                parts.spending(),
                parts.trial()),
            parts.listener());
    CoordinatedShutdown.get(system)
        .addTask(CoordinatedShutdown.PhaseServiceUnbind(), "drain-http-api", api::drain);
    return api.uri();
  }
}
