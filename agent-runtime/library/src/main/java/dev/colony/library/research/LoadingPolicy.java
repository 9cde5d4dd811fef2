package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Await;
import dev.colony.library.research.AnalystPrompt.Assignment;
import dev.colony.library.research.Answer.UnreadReasons;
import dev.colony.library.research.CoordinatorCapability.Consultation.Findings;
import dev.colony.library.research.ResearchTypes.Analysts;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.table.ClusterView;
import dev.colony.vcm.table.ClusterView.ClusterLayout;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.PlacementPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Has the analysts of a map load their pages, so that questions find these in the caches of the
 * replicas where the analysts are. A page that the page table has in a replica is not loaded. Of a
 * run that is interrupted and goes on, what was loaded before is found there.
 */
@Registered(LoadingPolicy.TYPE)
final class LoadingPolicy extends BaseActionPolicy {

  static final String TYPE = "research.loading";

  private static final String NAMESPACE = "research";

  /**
   * How much it does at a time.
   *
   * @param groups whose pages are loaded at the same time, those of one group one after the other
   */
  record Args(@Range(min = 1, max = 1000) int groups) {
    static final Args DEFAULT = new Args(6);
  }

  /**
   * The run's input.
   *
   * @param tokens of the groups that are looked at, at most: whole ones, in the order of the map
   */
  record Input(String map, long tokens) {}

  /**
   * The run's output.
   *
   * @param of pages that the map has
   * @param resident pages that were in a replica before
   * @param loaded pages that are there now
   * @param failed pages that no model has answered for
   * @param reasons why not
   * @param stats of the analysts' runs, as {@link RunStats#toJson} has them
   */
  record Loaded(
      int of, int resident, int loaded, int failed, UnreadReasons reasons, JsonNode stats) {

    /** With more pages that were there. */
    Loaded there(int more) {
      return new Loaded(of, resident + more, loaded, failed, reasons, stats);
    }

    /**
     * With what an analyst has done.
     *
     * @param now of all runs
     */
    Loaded plus(Ended one, RunStats now) {
      int unread = one.pages();
      UnreadReasons why =
          UnreadReasons.of(
              Collections.nCopies(one.pages(), one.run().error().orElse("not answered")));
      if (one.run().status() == AgentRun.Status.COMPLETED) {
        Findings findings = Json.read(one.run().output(), Findings.class);
        unread = findings.unread().size();
        why = findings.reasons();
      }
      return new Loaded(
          of,
          resident,
          loaded + one.pages() - unread,
          failed + unread,
          reasons.plus(why),
          now.toJson());
    }
  }

  /**
   * An analyst that has ended its run.
   *
   * @param pages that it was to load
   */
  record Ended(int pages, AgentRun run) {}

  private final Args args;

  LoadingPolicy(PolicyContext context, Args args) {
    super(context);
    this.args = args;
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) throws Exception {
    Input input = Json.read(state.request().input(), Input.class);
    Optional<PageMap> map;
    try {
      map = agent().pages().map(input.map());
    } catch (PageRefused refused) {
      return Decision.Fail.because(refused.getMessage());
    }
    return map.isEmpty()
        ? Decision.Fail.because("no page map " + input.map())
        : Decision.Complete.with(Json.of(load(state, map.get(), input.tokens())));
  }

  private Loaded load(ActionPolicyExecutionState state, PageMap map, long tokens)
      throws InterruptedException {
    List<PageGroup> groups = fitting(map, tokens);
    PageTable table = agent().service(PageTable.class);
    ClusterView cluster = Await.result(agent().service(ClusterLayout.class).view());
    PlacementPolicy placement = agent().service(PlacementPolicy.class);
    table.assign(groups, (some, known) -> placement.assign(some, known, cluster));
    BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    Loaded sum = new Loaded(map.pages(), 0, 0, 0, UnreadReasons.NONE, RunStats.NONE.toJson());
    RunStats stats = RunStats.NONE;
    int underWay = 0;
    for (int i = 0; i < groups.size() || underWay > 0; i++) {
      if (underWay == args.groups() || i >= groups.size()) {
        Ended one = ended.take();
        underWay--;
        stats = stats.plus(one.run().stats());
        sum = sum.plus(one, stats);
        agent().emit(ResearchTypes.LOADED, Json.of(sum));
      }
      if (i >= groups.size()) {
        continue;
      }
      PageGroup group = groups.get(i);
      PageTableSnapshot known = table.snapshot();
      List<String> pages =
          group.pages().stream()
              .filter(page -> known.replicasWith(page).isEmpty())
              .map(PageId::value)
              .toList();
      sum = sum.there(group.pages().size() - pages.size());
      if (!pages.isEmpty()) {
        RunId run = new RunId(state.request().runId() + "." + i);
        ask(group, pages, run).thenAccept(done -> ended.add(new Ended(pages.size(), done)));
        underWay++;
      }
    }
    return sum;
  }

  /** The first groups that have no more tokens together. */
  private static List<PageGroup> fitting(PageMap map, long tokens) {
    List<PageGroup> fitting = new ArrayList<>();
    long left = tokens;
    for (PageGroup group : map.groups()) {
      left -= group.sizeTokens();
      if (left < 0) {
        break;
      }
      fitting.add(group);
    }
    return fitting;
  }

  private CompletionStage<AgentRun> ask(PageGroup group, List<String> pages, RunId run) {
    RunOptions options =
        RunOptions.namespace(NAMESPACE).runId(run).requestedBy(agent().id().persistenceId());
    return agent()
        .service(Analysts.class)
        .of(agent().id(), group.id())
        .thenCompose(analyst ->
            agent()
                .colony()
                .agent(analyst.id())
                .run(Json.of(Assignment.loading(pages)), options)
                .result())
        .exceptionally(failure -> AgentRun.failed(run, failure.getMessage(), RunStats.NONE));
  }
}
