package dev.colony.node.runtime;

import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.payload.PayloadSweep.Swept;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.session.BlackboardRunRecorder.SessionSettings;
import dev.colony.client.session.BlackboardSessions;
import dev.colony.node.AgentListener;
import dev.colony.node.entity.AgentSettings;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * One look at all that is stored, in batches: agents and sessions whose time is over go, with a
 * colony's part of the walk over the scopes; then old events go, and scopes in which nothing is
 * left; last what lies outside Redis that nothing refers to. It holds nothing but where it is, and
 * whatever it does may be repeated, so that it may end at any point; the next look begins anew.
 * Thread-safe; stages fail as the blackboard and the journal do.
 *
 * @param payloads deletes those of a page that no journal refers to, behind a name, as of a time
 * @param batch what is looked at together
 * @param listener told what is removed
 */
public record Keeping(
    Blackboards blackboards,
    EndedAgents agents,
    BiFunction<Optional<String>, Instant, CompletionStage<Swept>> payloads,
    AgentSettings.Retention keep,
    int batch,
    SessionSettings sessions,
    InstantSource clock,
    AgentListener listener) {

  /** Where a look has come to. */
  public sealed interface Place {

    /** Where it begins. */
    Place BEGINNING = new AtScope(Optional.empty());

    /** Behind a scope of the walk over all scopes. */
    record AtScope(Optional<Scope> after) implements Place {}

    /** Within the agents of a colony, behind a name. */
    record AtAgents(Scope directory, Optional<String> after) implements Place {}

    /** Within the sessions of a colony, behind an id. */
    record AtSessions(Scope registry, Optional<String> after) implements Place {}

    /** Within the scopes of a bucket whose events are looked at. */
    record AtBucket(int bucket, Optional<Scope> after) implements Place {}

    /** Within what lies outside Redis of entries, behind a name. */
    record AtValues(Optional<String> after) implements Place {}

    /** The same of journals. */
    record AtPayloads(Optional<String> after) implements Place {}
  }

  /**
   * Looks at the next batch.
   *
   * @return where to go on; empty where all has been looked at
   */
  public CompletionStage<Optional<Place>> look(Place from) {
    return switch (from) {
      case Place.AtScope scopes -> scopes(scopes.after());
      case Place.AtAgents some -> agents(some);
      case Place.AtSessions some -> sessions(some);
      case Place.AtBucket some -> events(some);
      case Place.AtValues some -> values(some);
      case Place.AtPayloads some -> payloads(some);
    };
  }

  private CompletionStage<Optional<Place>> scopes(Optional<Scope> after) {
    return blackboards
        .scopes(after, batch)
        .thenApply(page -> {
          Optional<Place> first =
              page.stream()
                  .<Optional<Place>>map(scope -> {
                    if (AgentDirectory.lists(scope)) {
                      return Optional.of(new Place.AtAgents(scope, Optional.empty()));
                    }
                    return BlackboardSessions.registers(scope)
                        ? Optional.of(new Place.AtSessions(scope, Optional.empty()))
                        : Optional.empty();
                  })
                  .flatMap(Optional::stream)
                  .findFirst();
          if (first.isPresent()) {
            return first;
          }
          return Optional.of(
              page.size() < batch
                  ? new Place.AtBucket(0, Optional.empty())
                  : new Place.AtScope(Optional.of(page.getLast())));
        });
  }

  private CompletionStage<Optional<Place>> agents(Place.AtAgents from) {
    Scope scope = from.directory();
    Instant ended = clock.instant().minus(keep.agents());
    return agents
        .purge(scope.tenant(), scope.colony().orElseThrow(), batch, from.after(), ended, false)
        .thenApply(page -> {
          removed(
              AgentListener.Remains.AGENT,
              (int)
                  page.agents().stream()
                      .filter(EndedAgents.PurgeReply.Purged.class::isInstance)
                      .count());
          return page.next().isPresent()
              ? Optional.of(new Place.AtAgents(scope, page.next()))
              : behind(scope);
        });
  }

  private CompletionStage<Optional<Place>> sessions(Place.AtSessions from) {
    Scope scope = from.registry();
    return new BlackboardSessions(blackboards, scope.tenant(), scope.colony().orElseThrow(), clock)
        .removeIdle(batch, from.after(), sessions.keep(), clock.instant())
        .thenApply(page -> {
          removed(AgentListener.Remains.SESSION, page.items().size());
          return page.next().isPresent()
              ? Optional.of(new Place.AtSessions(scope, page.next()))
              : behind(scope);
        });
  }

  private void removed(AgentListener.Remains what, int count) {
    if (count > 0) {
      listener.removed(what, count);
    }
  }

  private static Optional<Place> behind(Scope scope) {
    return Optional.of(new Place.AtScope(Optional.of(scope)));
  }

  private CompletionStage<Optional<Place>> events(Place.AtBucket from) {
    if (from.bucket() == blackboards.inbox().buckets()) {
      return CompletableFuture.completedStage(Optional.of(new Place.AtValues(Optional.empty())));
    }
    return blackboards
        .trim(from.bucket(), from.after(), batch, keep.events())
        .thenApply(trimmed -> {
          removed(AgentListener.Remains.SCOPE, trimmed.gone());
          return Optional.of(
              trimmed.next().isPresent()
                  ? new Place.AtBucket(from.bucket(), trimmed.next())
                  : new Place.AtBucket(from.bucket() + 1, Optional.empty()));
        });
  }

  private CompletionStage<Optional<Place>> values(Place.AtValues from) {
    return blackboards
        .sweepPayloads(from.after())
        .thenApply(swept -> {
          removed(AgentListener.Remains.PAYLOAD, swept.removed());
          return Optional.of(
              swept.next().isPresent()
                  ? new Place.AtValues(swept.next())
                  : new Place.AtPayloads(Optional.empty()));
        });
  }

  private CompletionStage<Optional<Place>> payloads(Place.AtPayloads from) {
    return payloads
        .apply(from.after(), clock.instant())
        .thenApply(swept -> {
          removed(AgentListener.Remains.PAYLOAD, swept.removed());
          return swept.next().map(name -> new Place.AtPayloads(Optional.of(name)));
        });
  }
}
