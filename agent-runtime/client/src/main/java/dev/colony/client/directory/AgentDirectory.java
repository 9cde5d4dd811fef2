package dev.colony.client.directory;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.client.directory.DirectoryEntry.AgentTree;
import dev.colony.client.directory.DirectoryEntry.DirectoryKeys;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import dev.colony.client.directory.DirectoryEntry.Origin;
import dev.colony.vcm.mapping.Parallel;
import dev.colony.vcm.store.InFlight;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The agents of all colonies on a blackboard. An entry stands in its colony's scope, namespace
 * {@code agents}, under the agent's name, and is sent to the agent's inbox as it is made; beside it
 * stands what the agent last made known of its state. Thread-safe; stages fail as the blackboard
 * does.
 */
public final class AgentDirectory {

  private static final int AT_ONCE = 500;

  /** Agents that are asked for together: one that lives ends the asking. */
  private static final int ASKED_TOGETHER = 64;

  /** To tell more keys than this from others costs more than to hear of all. */
  private static final int MOST_KEYS = 16;

  private final Blackboards blackboards;

  public AgentDirectory(Blackboards blackboards) {
    this.blackboards = blackboards;
  }

  /** The agent's entry, or empty if there is no such agent. One read. */
  public CompletionStage<Optional<DirectoryEntry>> find(AgentId agent) {
    return board(agent).read(agent.name()).thenApply(found -> found.map(DirectoryEntry::of));
  }

  /** The agent with its state, or empty if there is no such agent. One read. */
  public CompletionStage<Optional<ListedAgent>> look(AgentId agent) {
    return board(agent)
        .readAll(List.of(agent.name(), DirectoryKeys.state(agent.name())))
        .thenApply(entries -> listed(scope(agent), List.of(agent.name()), entries))
        .thenApply(found -> found.stream().findFirst());
  }

  /**
   * Enters an agent, has it started, and returns the entry that stands from now on: an earlier one
   * of the same blueprint stays, wherever its home is and however the agent was revised since.
   *
   * <p>Fails with {@link AgentException} if the agent exists with another blueprint, or as a fork,
   * or if a capability stands in another tenant or colony.
   *
   * @param unit the placement unit in which it is to live
   */
  public CompletionStage<DirectoryEntry> enter(AgentId agent, int unit, AgentBlueprint blueprint) {
    try {
      blueprint.check(agent);
    } catch (AgentException foreign) {
      return CompletableFuture.failedStage(foreign);
    }
    return enter(agent, unit, blueprint, Optional.empty())
        .thenApply(standing -> {
          if (!standing.original().equals(blueprint)) {
            throw AgentException.refused("agent " + agent + " exists with another blueprint");
          }
          if (standing.origin().isPresent()) {
            throw AgentException.refused(
                "agent " + agent + " exists as a fork of " + standing.origin().get().agent());
          }
          return standing;
        });
  }

  /**
   * Enters an agent that begins with another's past, has it started, and returns the entry that
   * stands from now on, which may be another caller's: an earlier one of that name stays.
   *
   * @param unit the placement unit in which it is to live
   * @param blueprint that its origin had
   */
  public CompletionStage<DirectoryEntry> fork(
      AgentId agent, int unit, AgentBlueprint blueprint, Origin origin) {
    return enter(agent, unit, blueprint, Optional.of(origin));
  }

  private CompletionStage<DirectoryEntry> enter(
      AgentId agent, int unit, AgentBlueprint blueprint, Optional<Origin> origin) {
    Write write = entering(agent, unit, blueprint, Optional.empty(), origin).ifAbsent();
    return board(agent)
        .send(write, agent.persistenceId())
        .thenCompose(result ->
            switch (result) {
              case WriteResult.Written written ->
                  CompletableFuture.completedStage(
                      new DirectoryEntry(
                          unit,
                          blueprint,
                          Instant.ofEpochMilli(written.position().millis()),
                          Optional.empty(),
                          origin,
                          Optional.empty()));
              case WriteResult.VersionConflict exists ->
                  find(agent)
                      .thenApply(found ->
                          found.orElseThrow(() ->
                              new AgentException(
                                  "the entry of " + agent + " has just vanished", null, true)));
            });
  }

  /**
   * Says in which placement unit an agent lives from now on. What an earlier incarnation says later
   * changes nothing; neither does repeating it, nor saying it of an agent that is unknown.
   *
   * @param incarnation of the agent that moves
   */
  public CompletionStage<Void> move(AgentId agent, int unit, long incarnation) {
    return changed(agent, entry -> DirectoryEntry.moved(entry, unit, incarnation));
  }

  /**
   * Says which blueprint an agent has since its last revision. What an earlier incarnation says
   * later changes nothing; neither does repeating it, nor saying it of an agent that is unknown.
   *
   * @param revision its number
   * @param incarnation of the agent that tells it
   */
  public CompletionStage<Void> revise(
      AgentId agent, AgentBlueprint blueprint, int revision, long incarnation) {
    return changed(agent, entry -> DirectoryEntry.revised(entry, blueprint, revision, incarnation));
  }

  private CompletionStage<Void> changed(
      AgentId agent, Function<Entry, Optional<ObjectNode>> change) {
    return board(agent)
        .transaction(tx ->
            tx.read(agent.name())
                .thenCompose(found ->
                    found
                        .flatMap(change)
                        .map(json ->
                            tx.write(Write.of(agent.name(), json).tags(DirectoryKeys.AGENT)))
                        .orElseGet(() -> CompletableFuture.completedStage(null))));
  }

  public static Write entering(
      AgentId agent,
      int unit,
      AgentBlueprint blueprint,
      Optional<Lineage> lineage,
      Optional<Origin> origin) {
    return Write.of(agent.name(), DirectoryEntry.json(unit, blueprint, lineage, origin))
        .tags(DirectoryKeys.AGENT);
  }

  /** Whether a scope says which agents a colony has. */
  public static boolean lists(Scope scope) {
    return DirectoryKeys.inDirectory(scope);
  }

  /** The scopes of all colonies that ever had an agent. Reads the names of all scopes there are. */
  public CompletionStage<List<Scope>> colonies() {
    return colonies(Optional.empty(), new ArrayList<>());
  }

  private CompletionStage<List<Scope>> colonies(Optional<Scope> after, List<Scope> found) {
    return blackboards
        .scopes(after, AT_ONCE)
        .thenCompose(page -> {
          page.stream()
              .filter(DirectoryKeys::inDirectory)
              .map(scope -> Scope.colony(scope.tenant(), scope.colony().orElseThrow()))
              .forEach(found::add);
          return page.size() < AT_ONCE
              ? CompletableFuture.completedStage(List.copyOf(found))
              : colonies(Optional.of(page.getLast()), found);
        });
  }

  /**
   * Some of a colony's agents, in the order of their names.
   *
   * @param after the name where the page before ended
   * @return fewer than {@code limit} only if there are no more
   */
  public CompletionStage<List<ListedAgent>> list(
      String tenant, String colony, int limit, Optional<String> after) {
    return list(tenant, colony, "", limit, after);
  }

  /**
   * The same of those whose names begin with something.
   *
   * @param prefix characters of a name; empty for all agents
   */
  public CompletionStage<List<ListedAgent>> list(
      String tenant, String colony, String prefix, int limit, Optional<String> after) {
    Query query = Query.keys(prefix + "*").allTags(DirectoryKeys.AGENT);
    return list(DirectoryKeys.scope(tenant, colony), query, limit, after, new ArrayList<>());
  }

  /**
   * A colony's agents as trees, in the order of their names.
   *
   * @param most how many agents are read; of a larger colony the rest is missing
   */
  public CompletionStage<List<AgentTree>> tree(String tenant, String colony, int most) {
    return list(tenant, colony, most, Optional.empty()).thenApply(AgentTree::of);
  }

  /** What agents last made known of their states; one that has made nothing known is left out. */
  public CompletionStage<Map<AgentId, AgentStatus>> states(
      String tenant, String colony, List<AgentId> agents) {
    Map<String, AgentId> byKey =
        agents.stream()
            .collect(Collectors.toMap(id -> DirectoryKeys.state(id.name()), Function.identity()));
    return open(DirectoryKeys.scope(tenant, colony))
        .readAll(byKey.keySet())
        .thenApply(entries ->
            entries.stream()
                .collect(Collectors.toMap(entry -> byKey.get(entry.key()), AgentStatus::of)));
  }

  /**
   * Whether all of some agents have ended; of one that is unknown nothing is to be waited for.
   *
   * @param ended those that are known to have; what is found out is added, up to the first that
   *     lives, about. Not to be changed by others meanwhile
   */
  public CompletionStage<Boolean> allEnded(List<AgentId> agents, Set<AgentId> ended) {
    List<AgentId> asked = agents.stream().filter(one -> !ended.contains(one)).distinct().toList();
    return allEnded(Parallel.batches(asked, ASKED_TOGETHER), 0, ended);
  }

  private CompletionStage<Boolean> allEnded(
      List<List<AgentId>> batches, int at, Set<AgentId> ended) {
    if (at == batches.size()) {
      return CompletableFuture.completedStage(true);
    }
    List<AgentId> some = batches.get(at);
    return over(some)
        .thenCompose(over -> {
          ended.addAll(over);
          return over.size() == some.size()
              ? allEnded(batches, at + 1, ended)
              : CompletableFuture.completedStage(false);
        });
  }

  private CompletionStage<Set<AgentId>> over(List<AgentId> agents) {
    Map<Scope, List<AgentId>> byColony =
        agents.stream().collect(Collectors.groupingBy(AgentDirectory::scope));
    CompletionStage<Set<AgentId>> all = CompletableFuture.completedStage(new HashSet<>());
    for (List<AgentId> ofOne : byColony.values()) {
      all =
          all.thenCombine(
              overInColony(ofOne),
              (before, more) -> {
                before.addAll(more);
                return before;
              });
    }
    return all;
  }

  /** One that has made nothing known has ended only if there is none. */
  private CompletionStage<Set<AgentId>> overInColony(List<AgentId> agents) {
    AgentId one = agents.getFirst();
    return states(one.tenant(), one.colony(), agents)
        .thenCompose(states -> {
          Set<AgentId> over = new HashSet<>();
          states.forEach((agent, status) -> {
            if (status.state().terminal()) {
              over.add(agent);
            }
          });
          if (over.size() < states.size()) {
            return CompletableFuture.completedStage(over);
          }
          List<AgentId> silent = agents.stream().filter(it -> !states.containsKey(it)).toList();
          return InFlight.map(silent, ASKED_TOGETHER, this::find)
              .thenApply(found -> {
                for (int i = 0; i < silent.size(); i++) {
                  if (found.get(i).isEmpty()) {
                    over.add(silent.get(i));
                  }
                }
                return over;
              });
        });
  }

  /**
   * The changes of what agents make known of their states, from now on. Others' may be among them.
   *
   * @param agents of one colony, at least one
   */
  public Flow.Publisher<BlackboardEvent> changes(List<AgentId> agents) {
    String[] keys =
        agents.size() > MOST_KEYS
            ? new String[] {DirectoryKeys.state("*")}
            : agents.stream().map(id -> DirectoryKeys.state(id.name())).toArray(String[]::new);
    return board(agents.getFirst()).subscribe(EventFilter.keys(keys), SubscribeFrom.now());
  }

  /** Whether a request in an agent's inbox is its entry here, so that it has to be started. */
  public static boolean enters(InboxMessage.Request request) {
    Scope scope = request.scope();
    return DirectoryKeys.inDirectory(scope)
        && request
            .recipient()
            .equals(scope.tenant() + "/" + scope.colony().orElseThrow() + "/" + request.key());
  }

  /** The child whose end a message in its parent's inbox tells of, with what it ended as. */
  public static Optional<Map.Entry<AgentId, AgentStatus>> ended(InboxMessage.Request request) {
    return DirectoryKeys.inDirectory(request.scope())
        ? DirectoryKeys.stateOf(request.key())
            .map(name ->
                Map.entry(
                    DirectoryKeys.agent(request.scope(), name),
                    new AgentStatus(
                        AgentStatus.state(request.value()),
                        AgentStatus.reason(request.value()),
                        Instant.EPOCH)))
        : Optional.empty();
  }

  private CompletionStage<List<ListedAgent>> list(
      Scope scope, Query all, int limit, Optional<String> after, List<ListedAgent> found) {
    Query query = all.limit(Math.min(limit - found.size(), AT_ONCE));
    Query rest = after.map(name -> query.from(new Query.Cursor(name))).orElse(query);
    Blackboard board = open(scope);
    return board
        .query(rest)
        .thenCompose(page -> {
          List<String> names = page.entries().stream().map(Entry::key).toList();
          return board
              .readAll(names.stream().map(DirectoryKeys::state).toList())
              .thenCompose(states -> {
                List<Entry> entries = new ArrayList<>(page.entries());
                entries.addAll(states);
                found.addAll(listed(scope, names, entries));
                Optional<String> next = page.next().map(Query.Cursor::afterKey);
                return next.isEmpty() || found.size() >= limit
                    ? CompletableFuture.completedStage(found)
                    : list(scope, all, limit, next, found);
              });
        });
  }

  private static List<ListedAgent> listed(Scope scope, List<String> names, List<Entry> entries) {
    Map<String, Entry> byKey =
        entries.stream().collect(Collectors.toMap(Entry::key, Function.identity()));
    return names.stream()
        .filter(byKey::containsKey)
        .map(name -> {
          DirectoryEntry entry = DirectoryEntry.of(byKey.get(name));
          AgentStatus status =
              Optional.ofNullable(byKey.get(DirectoryKeys.state(name)))
                  .map(AgentStatus::of)
                  .orElseGet(() -> ListedAgent.silent(entry));
          return new ListedAgent(DirectoryKeys.agent(scope, name), entry, status);
        })
        .toList();
  }

  private static Scope scope(AgentId agent) {
    return DirectoryKeys.scope(agent.tenant(), agent.colony());
  }

  private Blackboard board(AgentId agent) {
    return open(scope(agent));
  }

  private Blackboard open(Scope scope) {
    return blackboards.open(scope, "directory");
  }

  /** An agent in a list: what it is made of and what it last made known of itself. */
  public record ListedAgent(AgentId id, DirectoryEntry entry, AgentStatus status) {

    /** Before it has made anything known. */
    static AgentStatus silent(DirectoryEntry entry) {
      return new AgentStatus(AgentState.INITIALIZED, Optional.empty(), entry.since());
    }
  }
}
