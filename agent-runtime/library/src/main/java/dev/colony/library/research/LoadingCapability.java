package dev.colony.library.research;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.inference.Usage;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.placement.ClusterLayout;
import dev.colony.vcm.placement.ClusterView;
import dev.colony.vcm.placement.PlacementPolicy;
import dev.colony.vcm.table.PageTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;

/** Has the pages of a map in the caches of the cluster's replicas before questions are asked. */
@Registered(LoadingCapability.TYPE)
final class LoadingCapability extends AgentCapability {

  static final String TYPE = "research.loading";
  static final String LOAD = TYPE + ".load";

  private static final String NAMESPACE = "research";

  /**
   * How much is under way at a time.
   *
   * @param groups whose pages are loaded at once, each one after the other; 1 to 1000
   */
  record Limits(int groups) {

    static final Limits DEFAULT = new Limits(6);

    Limits {
      if (groups < 1 || groups > 1000) {
        throw new IllegalArgumentException("groups is " + groups + ", but must be 1 to 1000");
      }
    }
  }

  /**
   * What was loaded.
   *
   * @param pages of the map that were asked for
   * @param of all that it has
   * @param failed pages that no model answered for
   * @param why the last of these was not; empty for none
   * @param usage tokens of the calls
   */
  record Result(int pages, int of, int failed, String why, Usage usage) {}

  private final Limits limits;

  LoadingCapability(CapabilityContext context, Limits limits) {
    super(context);
    this.limits = limits;
  }

  /** Blocks until all are loaded; each group by the agent that lives where its analyst does. */
  @ActionExecutor(
      summary = "Loads the pages of a map into caches, in its order, until a number of tokens.")
  Result load(
      @Param("the id of the page map") String map,
      @Param("how many tokens at most") long tokens,
      ActionContext context)
      throws InterruptedException {
    PageMap found =
        await(agent().pages().map(map))
            .orElseThrow(() -> AgentException.refused("no page map " + map));
    Map<PageGroup, List<String>> wanted = wanted(found, tokens);
    ClusterView cluster = await(agent().service(ClusterLayout.class).view());
    PlacementPolicy placement = agent().service(PlacementPolicy.class);
    await(
        agent()
            .service(PageTable.class)
            .assign(
                wanted.keySet(), (groups, table) -> placement.assign(groups, table, cluster)));
    Semaphore room = new Semaphore(limits.groups());
    List<CompletionStage<AgentRun>> runs = new ArrayList<>();
    for (Map.Entry<PageGroup, List<String>> one : wanted.entrySet()) {
      room.acquire();
      CompletionStage<AgentRun> run =
          run(context, runs.size(), one.getKey(), new LoaderPolicy.Pages(one.getValue()));
      runs.add(run.whenComplete((ended, failure) -> room.release()));
    }
    return sum(found, wanted, runs.stream().map(LoadingCapability::await).toList());
  }

  /** By group, what still fits. */
  private static Map<PageGroup, List<String>> wanted(PageMap map, long tokens) {
    Map<PageGroup, List<String>> wanted = new LinkedHashMap<>();
    long left = tokens;
    for (PageGroup group : map.groups()) {
      left -= group.sizeTokens();
      if (left < 0) {
        break;
      }
      wanted.put(group, group.pages().stream().map(PageId::value).toList());
    }
    return wanted;
  }

  private CompletionStage<AgentRun> run(
      ActionContext context, int number, PageGroup group, LoaderPolicy.Pages pages) {
    AgentId asker = agent().id();
    RunId runId = new RunId(context.request().runId() + "." + number);
    RunOptions options =
        RunOptions.namespace(NAMESPACE).runId(runId).requestedBy(asker.persistenceId());
    // Spawned by the node, as analysts are: it is no child of this run's.
    return agent()
        .service(Analysts.class)
        .loader(asker, group.id())
        .thenCompose(handle ->
            agent().colony().agent(handle.id()).run(Json.of(pages), options).result())
        .exceptionally(failure -> AgentRun.failed(runId, failure.getMessage(), RunStats.NONE));
  }

  private static Result sum(
      PageMap map, Map<PageGroup, List<String>> wanted, List<AgentRun> runs) {
    int pages = wanted.values().stream().mapToInt(List::size).sum();
    int failed = 0;
    String why = "";
    Usage usage = Usage.NONE;
    int number = 0;
    for (List<String> group : wanted.values()) {
      AgentRun run = runs.get(number++);
      usage = usage.plus(run.stats().usage());
      if (run.status() != AgentRun.Status.COMPLETED) {
        failed += group.size();
        why = run.error().orElse("");
      } else {
        LoaderPolicy.Loaded loaded = Json.read(run.output(), LoaderPolicy.Loaded.class);
        failed += loaded.failed();
        why = loaded.failed() > 0 ? loaded.why() : why;
      }
    }
    return new Result(pages, map.pages(), failed, why, usage);
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
