package dev.colony.server;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import dev.colony.client.directory.BlackboardSuspensions;
import dev.colony.client.directory.DirectoryEntry.AgentTree;
import dev.colony.client.history.AgentHistory;
import dev.colony.client.history.AgentInspector;
import dev.colony.client.session.ResultPublisher.FailedWokenRun;
import dev.colony.core.dispatch.DispatchSettings;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.registry.AgentTypes;
import dev.colony.journal.JournalException;
import dev.colony.journal.JournalReader;
import dev.colony.server.RunList.RunSearch;
import dev.colony.server.ShownAgent.AgentFilter;
import dev.colony.server.ShownAgent.ShownCapability;
import dev.colony.server.StoreStatus.StoreView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The agents of a cluster, read from its blackboard and its journal. Its methods block; they throw
 * {@link JournalException} where the journal cannot be read.
 */
public final class AgentsReader {

  private static final int AT_ONCE = 64;

  private static final Comparator<Scope> BY_COLONY =
      Comparator.comparing((Scope scope) -> scope.tenant())
          .thenComparing((Scope scope) -> scope.colony().orElseThrow());

  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final AgentInspector inspector;
  private final AgentHistory history;
  private final Duration usualTimeout;
  private final Purging purging;
  private final LostEvents lostEvents;

  /**
   * @param config with the limits of the nodes
   */
  public AgentsReader(Blackboards blackboards, JournalReader journal, Config config) {
    this.blackboards = blackboards;
    this.directory = new AgentDirectory(blackboards);
    Lifecycle lifecycle = new Lifecycle(RunLimits.fromConfig(config));
    this.inspector = new AgentInspector(journal, lifecycle);
    this.history = new AgentHistory(journal, lifecycle);
    this.purging = new Purging(blackboards, journal, config);
    this.lostEvents = new LostEvents(journal.lostLogs());
    this.usualTimeout = DispatchSettings.fromConfig(config).timeout();
  }

  /** The cluster time. */
  public Instant now() {
    return blackboards.clock().instant();
  }

  public Purging purging() {
    return purging;
  }

  public LostEvents lostEvents() {
    return lostEvents;
  }

  public StoreView store() {
    return StoreView.of(
        lostEvents.lastRollback(),
        lostEvents.list(Optional.empty()).size(),
        join(blackboards.inbox().statistics()),
        blackboards.clockSkew(),
        join(new BlackboardSuspensions(blackboards).all()));
  }

  /** Agents that were asked for, and whether there are more than were. */
  public record Some<T>(List<T> found, boolean more) {}

  /**
   * A page of agents.
   *
   * @param next the agent behind which the next one begins; empty behind the last
   */
  public record Page<T>(List<T> found, Optional<AgentId> next) {}

  /**
   * How much a page of agents may have, and cost.
   *
   * @param limit how many agents it has at most
   * @param looked at how many it looks for them; then it ends, however few it has found
   */
  public record PageSize(int limit, int looked) {

    public PageSize {
      if (limit < 1 || looked < limit) {
        throw new IllegalArgumentException("no page has " + limit + " of " + looked + " agents");
      }
    }

    /** As many as there are, whatever has to be looked at for them. */
    public static PageSize filled(int limit) {
      return new PageSize(limit, Integer.MAX_VALUE);
    }
  }

  /**
   * Agents in the order of tenant, colony and name. No more than some are in memory at a time but
   * for their forms, since what the journal tells of one may be large.
   *
   * @param after the last one that the page before has looked at
   * @param form of an agent in the page
   */
  public <T> Page<T> list(
      Optional<String> tenant,
      Optional<String> colony,
      AgentFilter filter,
      PageSize size,
      Optional<AgentId> after,
      Function<ShownAgent, T> form) {
    List<Scope> scopes =
        tenant.isPresent() && colony.isPresent()
            ? List.of(Scope.colony(tenant.get(), colony.get()))
            : colonies(tenant, colony);
    List<T> found = new ArrayList<>();
    int left = size.looked();
    Optional<AgentId> last = Optional.empty();
    for (Scope scope : scopes) {
      int order =
          after
              .map(id -> BY_COLONY.compare(scope, Scope.colony(id.tenant(), id.colony())))
              .orElse(1);
      Optional<String> from = order == 0 ? after.map(AgentId::name) : Optional.empty();
      boolean more = order >= 0;
      while (more) {
        int some =
            filter.equals(AgentFilter.ALL)
                ? Math.clamp(size.limit() - found.size(), 1, AT_ONCE)
                : AT_ONCE;
        List<ListedAgent> read =
            join(
                directory.list(
                    scope.tenant(), scope.colony().orElseThrow(), filter.prefix(), some, from));
        more = read.size() == some;
        Map<AgentId, T> kept = kept(read, filter, form);
        for (ListedAgent one : read) {
          if (left == 0 || found.size() == size.limit()) {
            return new Page<>(found, last);
          }
          Optional.ofNullable(kept.get(one.id())).ifPresent(found::add);
          last = Optional.of(one.id());
          left--;
        }
        from = last.map(AgentId::name);
      }
    }
    return new Page<>(found, Optional.empty());
  }

  /**
   * The newest runs, the newest first. Reads the requests and results of all agents.
   *
   * @param all whether runs that agents have asked for are listed, too
   * @param limit how many at most, at least 1
   */
  public List<RunList.ListedRun> runs(
      Optional<String> tenant, Optional<String> colony, boolean all, int limit) {
    List<Scope> scopes = colonies(tenant, colony);
    Map<AgentId, ListedAgent> agents = new HashMap<>();
    for (Scope scope : scopes) {
      Optional<String> from = Optional.empty();
      List<ListedAgent> page;
      do {
        page =
            join(directory.list(scope.tenant(), scope.colony().orElseThrow(), "", AT_ONCE, from));
        page.forEach(one -> agents.put(one.id(), one));
        from = page.isEmpty() ? from : Optional.of(page.getLast().id().name());
      } while (page.size() == AT_ONCE);
    }
    return new RunList(blackboards, this::shown).newest(scopes, agents, all, limit);
  }

  private <T> Map<AgentId, T> kept(
      List<ListedAgent> agents, AgentFilter filter, Function<ShownAgent, T> form) {
    Map<AgentId, T> kept = new HashMap<>();
    shown(
            agents.stream().filter(filter::mayHave).toList(),
            agent ->
                filter.has(agent)
                    ? Optional.of(Map.entry(agent.id(), form.apply(agent)))
                    : Optional.<Map.Entry<AgentId, T>>empty())
        .forEach(found -> found.ifPresent(one -> kept.put(one.getKey(), one.getValue())));
    return kept;
  }

  /** A tree of agents with what the journal tells of each. */
  public record ShownTree(ShownAgent agent, List<ShownTree> children) {}

  /**
   * The trees of agents.
   *
   * @param limit how many agents are read; beyond it branches are missing
   */
  public Some<ShownTree> trees(Optional<String> tenant, Optional<String> colony, int limit) {
    List<ShownTree> trees = new ArrayList<>();
    int left = limit + 1;
    for (Scope scope : colonies(tenant, colony)) {
      List<AgentTree> found =
          join(directory.tree(scope.tenant(), scope.colony().orElseThrow(), left));
      Map<AgentId, ShownAgent> shown = new HashMap<>();
      List<ListedAgent> all = new ArrayList<>();
      found.forEach(tree -> collect(tree, all));
      shown(all).forEach(one -> shown.put(one.id(), one));
      found.forEach(tree -> trees.add(shown(tree, shown)));
      left -= all.size();
      if (left <= 0) {
        break;
      }
    }
    return new Some<>(trees, left <= 0);
  }

  private static void collect(AgentTree tree, List<ListedAgent> all) {
    all.add(tree.agent());
    tree.children().forEach(child -> collect(child, all));
  }

  private static ShownTree shown(AgentTree tree, Map<AgentId, ShownAgent> shown) {
    return new ShownTree(
        shown.get(tree.agent().id()),
        tree.children().stream().map(child -> shown(child, shown)).toList());
  }

  /**
   * One agent.
   *
   * @throws NotFoundException if there is none
   */
  public ShownAgent find(AgentId id) {
    ListedAgent listed =
        join(directory.look(id))
            .orElseThrow(() -> new NotFoundException("there is no agent " + id));
    return shown(List.of(listed)).getFirst();
  }

  /**
   * The namespace in which a run of an agent was asked for.
   *
   * @throws NotFoundException if there is no such run
   */
  public String namespace(AgentId id, RunId run) {
    return RunSearch.of(blackboards, id, run)
        .orElseThrow(() -> new NotFoundException("%s has no run %s".formatted(id, run)));
  }

  /** The capabilities of an agent in the order of its blueprint. */
  public List<ShownCapability> capabilities(ShownAgent agent) {
    Set<String> away = agent.journal().map(known -> known.memory().disabled()).orElse(Set.of());
    return agent.listed().entry().blueprint().capabilities().stream()
        .map(one ->
            ShownCapability.of(
                one, !away.contains(one.capabilityKey()), AgentTypes.installed(), usualTimeout))
        .toList();
  }

  /**
   * The agent's last steps, the oldest first.
   *
   * @param before where an earlier page began; empty for the end
   */
  public HistoryPage steps(ShownAgent agent, Optional<HistoryPosition> before, int count) {
    return join(history.older(agent.id(), before, count, AgentHistory.Wanted.STEPS));
  }

  /**
   * The agent as it was right after an event.
   *
   * @throws NotFoundException if its journal does not say
   */
  public ShownAgent at(ShownAgent agent, long sequenceNr) {
    return switch (join(history.at(agent.id(), sequenceNr))) {
      case StateAt.Known known ->
          new ShownAgent(agent.listed(), Optional.of(known.agent()), Optional.empty());
      case StateAt.Missing missing -> throw new NotFoundException(missing.words());
    };
  }

  /** What agents did, and how they stood at any time. */
  public AgentHistory history() {
    return history;
  }

  /** The colonies that have agents, or had. */
  public List<Scope> colonies(Optional<String> tenant, Optional<String> colony) {
    return join(directory.colonies()).stream()
        .filter(scope -> tenant.isEmpty() || tenant.get().equals(scope.tenant()))
        .filter(scope -> colony.isEmpty() || colony.equals(scope.colony()))
        .sorted(BY_COLONY)
        .toList();
  }

  private List<ShownAgent> shown(List<ListedAgent> agents) {
    return shown(agents, Function.identity());
  }

  private <T> List<T> shown(List<ListedAgent> agents, Function<ShownAgent, T> form) {
    List<T> shown = new ArrayList<>();
    for (int from = 0; from < agents.size(); from += AT_ONCE) {
      List<CompletableFuture<T>> asked =
          agents.subList(from, Math.min(agents.size(), from + AT_ONCE)).stream()
              .map(one ->
                  inspector
                      .look(one.id())
                      .thenCombine(
                          FailedWokenRun.of(blackboards, one.id()),
                          (known, failure) -> form.apply(new ShownAgent(one, known, failure)))
                      .toCompletableFuture())
              .toList();
      asked.forEach(one -> shown.add(join(one)));
    }
    return shown;
  }

  static <T> T join(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof JournalException unreadable) {
        throw unreadable;
      }
      throw failed;
    }
  }
}
