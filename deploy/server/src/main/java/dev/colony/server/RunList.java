package dev.colony.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentView.BlockedView;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.AgentView.RunView;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.client.RunPlace;
import dev.colony.client.StoredRun;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The newest runs of some agents. What has ended is read from the blackboard, what is open from the
 * journals of its agents. Reads the requests and results of all these agents, and keeps as many as
 * are asked for. Blocks.
 *
 * @param journals tells what the journals have of agents
 */
public record RunList(
    Blackboards blackboards, Function<List<ListedAgent>, List<ShownAgent>> journals) {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();
  private static final int AT_ONCE = 200;

  /** What becomes of a run, as a list shows it. */
  public enum RunStatus {
    /** Its agent has not taken it up. */
    QUEUED,
    RUNNING,
    /** It rests until a person, another agent, a time or an event lets it go on. */
    WAITING,
    COMPLETED,
    FAILED,
    CANCELLED
  }

  /**
   * One run.
   *
   * @param input what its agent was asked; JSON null where the request is gone
   * @param askedAt when it was asked for, by the asker's clock
   * @param endedAt empty while it is open
   * @param why what it waits for, or why it did not complete; empty where there is nothing to say
   * @param stats what it took so far
   */
  public record ListedRun(
      RunId runId,
      AgentId agentId,
      String namespace,
      RunStatus status,
      JsonNode input,
      Instant askedAt,
      Optional<Instant> endedAt,
      Optional<String> why,
      RunStats stats) {}

  /**
   * A run as the blackboard has it.
   *
   * @param ofAnother whether an agent has asked for it
   */
  private record Stored(
      AgentId agent,
      String namespace,
      RunId id,
      boolean ofAnother,
      Instant askedAt,
      JsonNode input,
      Optional<AgentRun> end,
      Optional<Instant> endedAt) {}

  /**
   * The newest runs, the newest first.
   *
   * @param colonies whose runs are looked at
   * @param agents whose runs are listed
   * @param all whether runs that agents have asked for are listed, too
   * @param limit how many at most, at least 1
   */
  List<ListedRun> newest(
      List<Scope> colonies, Map<AgentId, ListedAgent> agents, boolean all, int limit) {
    PriorityQueue<Stored> newest = new PriorityQueue<>(Comparator.comparing(Stored::askedAt));
    for (Scope colony : colonies) {
      forEachScope(
          colony,
          agents.keySet(),
          (agent, board) -> {
            for (Stored run : runs(agent, board)) {
              if (run.ofAnother() && !all) {
                continue;
              }
              newest.add(run);
              if (newest.size() > limit) {
                newest.remove();
              }
            }
          });
    }
    Set<AgentId> open =
        newest.stream()
            .filter(run -> run.end().isEmpty())
            .map(Stored::agent)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    Map<AgentId, ShownAgent> shown =
        journals.apply(open.stream().map(agents::get).toList()).stream()
            .collect(Collectors.toMap(ShownAgent::id, Function.identity()));
    return newest.stream()
        .sorted(Comparator.comparing(Stored::askedAt).reversed())
        .map(run -> listed(run, Optional.ofNullable(shown.get(run.agent()))))
        .toList();
  }

  private interface OfAgent {
    void take(AgentId agent, Blackboard board);
  }

  private void forEachScope(Scope colony, Set<AgentId> agents, OfAgent each) {
    Scope from = colony;
    while (true) {
      List<Scope> page = AgentsReader.join(blackboards.scopes(Optional.of(from), AT_ONCE));
      for (Scope scope : page) {
        if (scope.level() == ScopeLevel.AGENT
            && scope.namespace().isPresent()
            && scope.tenant().equals(colony.tenant())
            && scope.colony().equals(colony.colony())) {
          AgentId agent =
              new AgentId(scope.tenant(), scope.colony().orElseThrow(), scope.id().orElseThrow());
          if (agents.contains(agent)) {
            each.take(agent, blackboards.open(scope, "cli"));
          }
        }
      }
      // Those of colonies whose names begin like this one's stand between them.
      if (page.size() < AT_ONCE || !page.getLast().path().startsWith(colony.path())) {
        return;
      }
      from = page.getLast();
    }
  }

  private static List<Stored> runs(AgentId agent, Blackboard board) {
    String namespace = board.scope().namespace().orElseThrow();
    Map<String, Entry> results = new HashMap<>();
    forEach(
        board,
        PROTOCOL.resultPattern(),
        entry -> PROTOCOL.resultId(entry.key()).ifPresent(id -> results.put(id, entry)));
    List<Stored> found = new ArrayList<>();
    forEach(
        board,
        PROTOCOL.requestPattern(),
        entry ->
            PROTOCOL
                .requestId(entry.key())
                .ifPresent(id ->
                    found.add(
                        stored(
                            agent,
                            namespace,
                            id,
                            Optional.of(entry),
                            Optional.ofNullable(results.remove(id))))));
    // Runs that events have started have no request.
    results.forEach((id, entry) ->
        found.add(stored(agent, namespace, id, Optional.empty(), Optional.of(entry))));
    return found;
  }

  private static void forEach(Blackboard board, KeyGlob keys, Consumer<Entry> each) {
    Query query = Query.keys(keys.pattern()).limit(AT_ONCE);
    while (true) {
      EntryPage page = AgentsReader.join(board.query(query));
      page.entries().forEach(each);
      if (page.next().isEmpty()) {
        return;
      }
      query = query.from(page.next().get());
    }
  }

  private static Stored stored(
      AgentId agent, String namespace, String id, Optional<Entry> asked, Optional<Entry> result) {
    Optional<RunRequest> request = asked.flatMap(RunList::request);
    Instant at =
        request
            .map(RunRequest::at)
            .or(() -> asked.map(Entry::createdAt))
            .orElseGet(() -> result.orElseThrow().createdAt());
    return new Stored(
        agent,
        namespace,
        new RunId(id),
        request.filter(RunList::ofAnother).isPresent(),
        at,
        request.map(RunRequest::input).orElse(NullNode.getInstance()),
        result.map(entry -> end(id, entry.value())),
        result.map(Entry::updatedAt));
  }

  private static Optional<RunRequest> request(Entry entry) {
    try {
      return Optional.of(RunRequest.fromJson(entry.value()));
    } catch (IllegalArgumentException | DateTimeException malformed) {
      return Optional.empty();
    }
  }

  private static boolean ofAnother(RunRequest request) {
    try {
      AgentId.parse(request.requestedBy());
      return true;
    } catch (IllegalArgumentException person) {
      return false;
    }
  }

  private static AgentRun end(String id, JsonNode value) {
    try {
      return AgentRun.fromJson(value);
    } catch (IllegalArgumentException malformed) {
      return AgentRun.failed(new RunId(id), "its result is malformed", RunStats.NONE);
    }
  }

  private static ListedRun listed(Stored run, Optional<ShownAgent> agent) {
    if (run.end().isPresent()) {
      AgentRun end = run.end().get();
      RunStatus status =
          switch (end.status()) {
            case COMPLETED -> RunStatus.COMPLETED;
            case FAILED -> RunStatus.FAILED;
            case CANCELLED -> RunStatus.CANCELLED;
          };
      return listed(run, status, end.error(), end.stats());
    }
    Optional<RunView> view =
        agent
            .flatMap(ShownAgent::journal)
            .flatMap(known ->
                known.runs().stream().filter(one -> one.runId().equals(run.id())).findFirst());
    RunStats stats = view.flatMap(RunView::stats).orElse(RunStats.NONE);
    Optional<String> why = view.flatMap(open -> why(open, agent.orElseThrow()));
    RunStatus status =
        why.isPresent()
            ? RunStatus.WAITING
            : view.flatMap(RunView::stats).isPresent() ? RunStatus.RUNNING : RunStatus.QUEUED;
    return listed(run, status, why, stats);
  }

  private static ListedRun listed(
      Stored run, RunStatus status, Optional<String> why, RunStats stats) {
    return new ListedRun(
        run.id(),
        run.agent(),
        run.namespace(),
        status,
        run.input(),
        run.askedAt(),
        run.endedAt(),
        why,
        stats);
  }

  /** What an open run waits for; empty where it does not wait. */
  private static Optional<String> why(RunView run, ShownAgent agent) {
    Optional<String> person =
        agent.pending().stream()
            .filter(one -> one.runId().map(run.runId()::equals).orElse(true))
            .findFirst()
            .map(RunList::approval);
    return person
        .or(() -> agent.suspension().flatMap(one -> agent.reason()))
        .or(() -> run.blocked().map(RunList::blocked));
  }

  private static String approval(PendingApproval asked) {
    return "approval of \"%s\"%s"
        .formatted(asked.request(), asked.reason().isEmpty() ? "" : ": " + asked.reason());
  }

  private static String blocked(BlockedView blocked) {
    String agents =
        blocked.blockingAgentIds().stream()
            .map(AgentId::persistenceId)
            .collect(Collectors.joining(", "));
    return blocked.idle()
        ? "idle: it has nothing to do until an event comes"
        : blocked.reason().isEmpty() ? "waits for " + agents : blocked.reason();
  }

  /** Finds the namespace in which a run stands, among those of its agent. Blocks. */
  static final class RunSearch {

    private static final int AT_ONCE = 100;

    /** No name comes before it. */
    private static final String FIRST = "-";

    private RunSearch() {}

    static Optional<String> of(Blackboards blackboards, AgentId agent, RunId run) {
      Scope from = agent.scope().namespace(FIRST);
      Optional<String> found =
          stands(blackboards, from, agent, run) ? from.namespace() : Optional.empty();
      while (found.isEmpty()) {
        List<Scope> page =
            blackboards.scopes(Optional.of(from), AT_ONCE).toCompletableFuture().join();
        List<Scope> own = page.stream().filter(scope -> isOf(agent, scope)).toList();
        found =
            own.stream()
                .filter(scope -> stands(blackboards, scope, agent, run))
                .flatMap(scope -> scope.namespace().stream())
                .findFirst();
        if (own.size() < AT_ONCE) {
          break;
        }
        from = own.getLast();
      }
      return found;
    }

    private static boolean isOf(AgentId agent, Scope scope) {
      return scope
          .namespace()
          .filter(name -> agent.scope().namespace(name).equals(scope))
          .isPresent();
    }

    private static boolean stands(Blackboards blackboards, Scope scope, AgentId agent, RunId run) {
      RunPlace place = RunPlace.of(agent, scope.namespace().orElseThrow(), run);
      return !StoredRun.read(place, blackboards.open(scope, "cli"))
          .toCompletableFuture()
          .join()
          .gone();
    }
  }
}
