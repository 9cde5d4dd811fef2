package dev.colony.blackboard;

import dev.colony.blackboard.policy.BoardPolicies;
import java.util.List;
import java.util.Optional;
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
   * The scopes that were ever written to, ordered by their paths.
   *
   * @param after the last one of the page before
   * @param limit at least 1; fewer come only if there are no more
   */
  CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit);

  Inbox inbox();

  /** What was done through all blackboards opened here. */
  BlackboardCounters counters();

  @Override
  void close();
}
