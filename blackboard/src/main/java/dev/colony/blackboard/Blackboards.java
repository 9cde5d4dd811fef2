package dev.colony.blackboard;

import dev.colony.blackboard.clock.ClusterClock.ClockSkew;
import dev.colony.blackboard.payload.PayloadSweep.Swept;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A backend that holds the scopes: opens blackboards on them and reads the inbox. */
public interface Blackboards extends AutoCloseable {

  /**
   * The blackboard of a scope; cheap, holds no resource of its own.
   *
   * @param writer who the writes through it are attributed to
   */
  default Blackboard open(Scope scope, String writer) {
    return open(scope, writer, BoardPolicies.NONE);
  }

  /**
   * The blackboard of a scope under policies, which hold for what is done through it only. All who
   * write to a scope should open it with the same eviction.
   */
  Blackboard open(Scope scope, String writer, BoardPolicies policies);

  /**
   * The scopes that were written to and are not gone ({@link #trim}), ordered by their paths.
   *
   * @param after the last one of the page before
   * @param limit at least 1; fewer come only if there are no more
   */
  CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit);

  /**
   * Lets go of the events of a bucket's scopes that are older than an age, but for a scope's newest
   * one, and of scopes in which nothing is left: no entry, no pattern that wakes an agent, no
   * durable subscription, and no event younger than that. Events that a durable subscription has
   * not acknowledged stay. For the one process of a cluster that does the cleaning; a second one,
   * and a call that is repeated, does no harm.
   *
   * <p>A scope that is written to again begins anew. Its positions go on behind the old ones, since
   * they begin with the cluster time. A subscription that saw its last event an age ago and still
   * stands fails with {@link BlackboardException.Reason#EVENTS_LOST}, as one does whose events were
   * trimmed.
   *
   * @param bucket of the {@link Inbox}, which the scopes share
   * @param after where the call before ended; empty begins with the first
   * @param scopes how many are looked at, at least 1: the backend serves no other call meanwhile
   */
  CompletionStage<Trimmed> trim(int bucket, Optional<Scope> after, int scopes, Duration age);

  /**
   * What became of some scopes.
   *
   * @param gone how many are gone
   * @param next where to go on; empty after the last
   */
  record Trimmed(int gone, Optional<Scope> next) {}

  /**
   * Deletes large values outside the backend that no entry and no stored event has referred to for
   * a day, a page at a time; what it does may be repeated.
   *
   * @param after where the call before ended; empty begins with the first
   */
  default CompletionStage<Swept> sweepPayloads(Optional<String> after) {
    return CompletableFuture.completedStage(new Swept(0, Optional.empty()));
  }

  Inbox inbox();

  /** Messages that are not kept. */
  Topics topics();

  /**
   * The cluster time: by what entries expire and events are dated, and what all that is durable or
   * that several nodes compare must go by. Reading it costs no call of the backend.
   */
  InstantSource clock();

  /**
   * How far clocks were off when this process last agreed with the others on the cluster time; none
   * is where there are no others.
   */
  default ClockSkew clockSkew() {
    return ClockSkew.NONE;
  }

  /** What was done through all blackboards opened here. */
  BlackboardCounters counters();

  @Override
  void close();
}
