package dev.colony.node.runtime;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.library.capability.HttpTools;
import dev.colony.library.capability.HttpTools.HttpToolSettings;
import dev.colony.library.page.PageGraphs;
import dev.colony.library.page.SourceTrees;
import dev.colony.library.page.SourceTrees.SourceToolSettings;
import dev.colony.library.research.ResearchTypes.Analysts;
import dev.colony.library.research.ResearchTypes.MapIndexes;
import dev.colony.node.NodePorts;
import dev.colony.node.Started;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.store.StoreSettings;

/** What the library's capabilities and policies ask a node for. */
public final class LibraryPorts {

  /** In whose scope pages are kept; they are content-addressed, so all may share them. */
  public static final String PAGES_TENANT = "system";

  private LibraryPorts() {}

  /**
   * The blackboards, the pages and all that is made of them.
   *
   * @param node that writes what is written
   * @param owned ends what has to be ended
   */
  public static NodePorts of(
      Config config,
      Blackboards blackboards,
      PageStore pages,
      HomeResolver homes,
      String node,
      Started owned) {
    return NodePorts.none()
        .with(Blackboards.class, blackboards)
        .with(PageStore.class, pages)
        .with(
            PageGraphs.class,
            new PageGraphs(
                new PageGraphStore(
                    blackboards.open(PageGraphStore.scope(PAGES_TENANT), node),
                    StoreSettings.fromConfig(config)),
                blackboards.clock()))
        .with(
            Analysts.class,
            new Analysts(
                new BlackboardColony(
                    blackboards, homes, Settings.read(ClientSettings.class, config))))
        .with(
            HttpTools.class,
            new HttpTools(
                Settings.read(HttpToolSettings.class, config),
                owned.add(new JdkHttpTransport(HttpTools.CONNECT_TIMEOUT))))
        .with(SourceTrees.class, new SourceTrees(Settings.read(SourceToolSettings.class, config)))
        .with(MapIndexes.class, new MapIndexes(pages, SourceSettings.fromConfig(config).threads()));
  }
}
