package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.clock.ClusterClock;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EventReading;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What agents have to do with the scopes that wake them: have themselves put into the blackboard's
 * index, and read what they were woken for. Both may be repeated. Stages fail as the blackboard
 * does.
 */
public record ScopeEvents(Blackboards blackboards, AgentDirectory directory, EventReading reading) {

  /** Has the blackboard wake the agent for what it handles; the command says where it begins. */
  public CompletionStage<AgentCommand> watch(AgentId agent, AgentEffect.WatchScopes work) {
    Map<Scope, Watch> watched = new HashMap<>();
    work.watched().forEach(watch -> watched.put(watch.scope(), watch));
    List<CompletableFuture<Watch>> all = new ArrayList<>();
    work.wanted()
        .forEach((scope, globs) -> {
          Watch before = watched.remove(scope);
          CompletionStage<Watch> watch =
              before == null
                  ? begin(agent, scope, globs, work.first())
                  : change(agent, before, globs);
          all.add(watch.toCompletableFuture());
        });
    List<CompletableFuture<Void>> dropped =
        watched.keySet().stream().map(scope -> drop(agent, scope).toCompletableFuture()).toList();
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenCompose(done -> CompletableFuture.allOf(dropped.toArray(CompletableFuture[]::new)))
        .thenApply(done ->
            new AgentCommand.WatchScopes(
                all.stream().map(CompletableFuture::join).toList(), blackboards.clock().instant()));
  }

  /** Reads what no run was started for; the command carries the run. */
  public CompletionStage<AgentCommand> read(AgentId agent, AgentEffect.ReadEvents work) {
    Watch watch = work.watch();
    return found(agent, watch.scope(), watch.globs(), watch.taken(), reading.ask())
        .thenCompose(found -> {
          boolean dueFound =
              !found.isEmpty() && found.getFirst().position().compareTo(watch.due()) <= 0;
          CompletionStage<Boolean> stored =
              dueFound ? CompletableFuture.completedStage(true) : stored(agent, watch);
          return stored.thenApply(is ->
              reading.take(
                  agent, watch, found, !is, work.intoRun(), blackboards.clock().instant()));
        });
  }

  /** Takes an agent out of the index of a scope. */
  public CompletionStage<Void> drop(AgentId agent, Scope scope) {
    return board(agent, scope).wakeOn(agent.persistenceId(), List.of());
  }

  private CompletionStage<Watch> change(AgentId agent, Watch before, Set<KeyGlob> globs) {
    return before.globs().equals(globs)
        ? CompletableFuture.completedStage(before)
        : board(agent, before.scope())
            .wakeOn(agent.persistenceId(), globs)
            .thenApply(done -> before.globs(globs));
  }

  /** The beginning is found before the index knows the agent, so that no write is between them. */
  private CompletionStage<Watch> begin(
      AgentId agent, Scope scope, Set<KeyGlob> globs, boolean first) {
    CompletionStage<Position> beginning =
        first ? spawned(agent) : board(agent, scope).statistics().thenApply(ScopeStatistics::head);
    return beginning.thenCompose(taken ->
        board(agent, scope)
            .wakeOn(agent.persistenceId(), globs)
            .thenCompose(done -> found(agent, scope, globs, taken, 1))
            .thenApply(found ->
                Watch.begun(
                    scope,
                    globs,
                    taken,
                    found.stream().findFirst().map(BlackboardEvent::position))));
  }

  /**
   * Before whatever was written after the agent was spawned. The writer's time may be behind the
   * time of the spawn, so that what was written just before it may come too.
   */
  private CompletionStage<Position> spawned(AgentId agent) {
    return directory
        .find(agent)
        .thenApply(entry ->
            entry
                .map(known -> known.since().minus(ClusterClock.MOST_APART).toEpochMilli())
                .map(millis -> new Position(Math.max(0, millis), 0))
                .orElse(Position.BEGINNING));
  }

  private CompletionStage<List<BlackboardEvent.Written>> found(
      AgentId agent, Scope scope, Set<KeyGlob> globs, Position after, int limit) {
    EventFilter filter =
        new EventFilter.Or(globs.stream().<EventFilter>map(EventFilter.Keys::new).toList())
            .and(EventFilter.types(EventType.WRITTEN))
            .and(EventFilter.writers(agent.persistenceId()).negate());
    return board(agent, scope)
        .history(filter, after, limit)
        .thenApply(events ->
            events.stream()
                .filter(BlackboardEvent.Written.class::isInstance)
                .map(BlackboardEvent.Written.class::cast)
                .toList());
  }

  /** Whether the write that is due is still there, be it that it does not match any more. */
  private CompletionStage<Boolean> stored(AgentId agent, Watch watch) {
    Position due = watch.due();
    return board(agent, watch.scope())
        .history(EventFilter.all(), new Position(due.millis(), due.ordinal() - 1), 1)
        .thenApply(events ->
            events.stream().findFirst().map(BlackboardEvent::position).equals(Optional.of(due)));
  }

  private Blackboard board(AgentId agent, Scope scope) {
    return blackboards.open(scope, agent.persistenceId());
  }
}
