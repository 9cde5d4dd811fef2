package dev.colony.library.research;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.Agent;
import dev.colony.agent.client.Colony;
import dev.colony.inference.PromptCaches;
import dev.colony.library.page.PageGraphs;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.graph.Prefetch;
import dev.colony.vcm.placement.ClusterLayout;
import dev.colony.vcm.placement.ClusterView;
import dev.colony.vcm.placement.PlacementPolicy;
import dev.colony.vcm.settings.PrefetchSettings;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.ReplicaId;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has pages loaded that the page graph says follow those in which a question has found something,
 * before anything is asked about them: the analyst of each page's group makes a call of one token
 * behind it, as {@link LoadingPolicy} has them do for a whole map. So the page is where its reader
 * is, behind the reader's own preamble. It only fills caches that have room: what is loaded must
 * push nothing out, since most of what is read next was read before. Nothing waits for it, and it
 * ends as soon as replicas have other work. A service of the node; thread-safe.
 */
public final class LoadAhead {

  private static final Logger LOG = LoggerFactory.getLogger(LoadAhead.class);
  private static final String NAMESPACE = "research";

  private final PageGraphs graphs;
  private final Analysts analysts;
  private final PrefetchSettings settings;
  private final Supplier<Optional<PromptCaches>> caches;
  private final BooleanSupplier busy;
  private final InstantSource clock;
  private final Semaphore room;

  /**
   * @param caches of the replicas; where none is known, nothing is loaded
   * @param busy whether replicas have other work; asked before each group of pages
   */
  public LoadAhead(
      PageGraphs graphs,
      Analysts analysts,
      PrefetchSettings settings,
      Supplier<Optional<PromptCaches>> caches,
      BooleanSupplier busy,
      InstantSource clock) {
    this.graphs = graphs;
    this.analysts = analysts;
    this.settings = settings;
    this.caches = caches;
    this.busy = busy;
    this.clock = clock;
    this.room = new Semaphore(settings.atOnce());
  }

  /** That of the agent's node, where it has one. */
  static Optional<LoadAhead> of(Agent agent) {
    try {
      return Optional.of(agent.service(LoadAhead.class));
    } catch (AgentException none) {
      return Optional.empty();
    }
  }

  /** What is needed of the node of the agent on whose behalf pages are loaded. */
  private record Parts(
      AgentId asker,
      PageStore pages,
      PageTable table,
      PlacementPolicy placement,
      ClusterLayout layout,
      Colony colony) {

    static Parts of(Agent agent) {
      return new Parts(
          agent.id(),
          agent.pages(),
          agent.service(PageTable.class),
          agent.service(PlacementPolicy.class),
          agent.service(ClusterLayout.class),
          agent.colony());
    }
  }

  /**
   * Begins to load the pages that follow; returns at once. Does nothing where as many are loading
   * as may, or where no graph of the map is stored.
   *
   * @param agent on whose behalf; only what its tenant may read is loaded
   * @param read pages of the map that have just answered
   */
  void follow(Agent agent, String map, Collection<PageId> read) {
    if (settings.pages() == 0 || read.isEmpty() || busy.getAsBoolean() || !room.tryAcquire()) {
      return;
    }
    try {
      Parts parts = Parts.of(agent);
      List<PageId> from = List.copyOf(read);
      Thread.ofVirtual()
          .name("load-ahead")
          .start(() -> {
            try {
              load(parts, map, from);
            } catch (RuntimeException failure) {
              LOG.warn("no pages of {} are loaded ahead: {}", map, failure.toString());
            } finally {
              room.release();
            }
          });
    } catch (RuntimeException failure) {
      room.release();
      throw failure;
    }
  }

  private void load(Parts parts, String map, List<PageId> read) {
    PageTableSnapshot known = parts.table().snapshot();
    List<PageId> following =
        graphs.with(
            map,
            graph ->
                Prefetch.following(
                    graph,
                    read,
                    page -> !known.replicasWith(page).isEmpty(),
                    settings,
                    clock.instant()));
    Optional<PageMap> stored =
        following.isEmpty() ? Optional.empty() : await(parts.pages().map(map));
    if (stored.isEmpty()) {
      return;
    }
    Map<PageGroup, List<VirtualContextPage>> wanted =
        byGroup(stored.get(), await(parts.pages().pages(following)));
    ClusterView cluster = await(parts.layout().view());
    await(
        parts
            .table()
            .assign(
                wanted.keySet(),
                (groups, table) -> parts.placement().assign(groups, table, cluster)));
    long left = settings.tokens();
    for (Map.Entry<PageGroup, List<VirtualContextPage>> group : wanted.entrySet()) {
      if (busy.getAsBoolean()) {
        return;
      }
      PageTableSnapshot table = parts.table().snapshot();
      List<VirtualContextPage> fitting =
          fitting(
              group.getValue(), Math.min(left, room(home(group.getKey(), table, cluster), table)));
      if (!fitting.isEmpty()) {
        await(ask(parts, group.getKey(), fitting));
        left -= fitting.stream().mapToLong(VirtualContextPage::sizeTokens).sum();
      }
    }
  }

  /** The node where the analyst of a group is; empty where its unit is not allocated yet. */
  private static Optional<String> home(
      PageGroup group, PageTableSnapshot table, ClusterView cluster) {
    OptionalInt unit = table.unit(group.id());
    return unit.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(cluster.units().get(unit.getAsInt())).map(NodeAddress::value);
  }

  /**
   * Tokens that may be loaded without pushing anything out: into the cache of that node, or into
   * each one where the node has none or is not known.
   */
  private long room(Optional<String> node, PageTableSnapshot table) {
    Optional<PromptCaches> known = caches.get();
    if (known.isEmpty()) {
      return 0;
    }
    List<PromptCaches.Cache> all = known.get().caches();
    List<PromptCaches.Cache> own =
        all.stream().filter(cache -> node.filter(cache.node()::equals).isPresent()).toList();
    return (own.isEmpty() ? all : own)
        .stream()
            .mapToLong(cache ->
                (long) (settings.fill() * cache.blocks() * known.get().blockTokens())
                    - held(new ReplicaId(cache.replica()), table))
            .min()
            .orElse(0);
  }

  private static long held(ReplicaId replica, PageTableSnapshot table) {
    return table
        .replica(replica)
        .map(one -> one.pages().values().stream().mapToLong(Integer::intValue).sum())
        .orElse(0L);
  }

  private static List<VirtualContextPage> fitting(List<VirtualContextPage> pages, long tokens) {
    List<VirtualContextPage> fitting = new ArrayList<>();
    long left = tokens;
    for (VirtualContextPage page : pages) {
      left -= page.sizeTokens();
      if (left < 0) {
        break;
      }
      fitting.add(page);
    }
    return fitting;
  }

  private static Map<PageGroup, List<VirtualContextPage>> byGroup(
      PageMap map, List<VirtualContextPage> pages) {
    Map<PageGroup, List<VirtualContextPage>> byGroup = new LinkedHashMap<>();
    for (VirtualContextPage page : pages) {
      map.groups().stream()
          .filter(group -> group.pages().contains(page.id()))
          .findFirst()
          .ifPresent(group -> byGroup.computeIfAbsent(group, key -> new ArrayList<>()).add(page));
    }
    return byGroup;
  }

  private CompletionStage<AgentRun> ask(
      Parts parts, PageGroup group, List<VirtualContextPage> pages) {
    RunOptions options =
        RunOptions.namespace(NAMESPACE)
            .runId(new RunId("ahead-" + UUID.randomUUID()))
            .requestedBy(parts.asker().persistenceId());
    Assignment assignment =
        Assignment.loading(pages.stream().map(page -> page.id().value()).toList());
    return analysts
        .of(parts.asker(), group.id())
        .thenCompose(analyst ->
            parts.colony().agent(analyst.id()).run(Json.of(assignment), options).result());
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
