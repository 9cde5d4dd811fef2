package dev.colony.agent.client;

import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Tenants, colonies and trees of agents that are suspended as a whole. A suspension is one entry,
 * which every node looks at: it holds until it is taken back, over restarts, and for agents that
 * are spawned or woken after it.
 *
 * <p>From at most {@value #BOUND_SECONDS} seconds after it is stored, no model call of the scope
 * begins at any node and no agent of it takes a step. Model calls under way are cut off. An
 * external action that has begun is finished first; what it asks of a model waits. An agent with an
 * open run is SUSPENDED, by the cause SCOPE, and the time of its run stands still; runs are
 * accepted, and wait. When the suspension is taken back, the agents go on as soon.
 *
 * <p>Thread-safe; no call blocks; stages fail as the blackboard does.
 */
public interface ScopeSuspensions {

  /** After how many seconds a suspension is in force at every node, at the latest. */
  int BOUND_SECONDS = 2;

  /** How many there may be in one cluster. */
  int MOST = 1_000;

  /**
   * Suspends a scope. One that is suspended already stays so, for the reason of before.
   *
   * @param scope of a tenant, of a colony, or of the agent at the top of a tree: that one and all
   *     that descend from it
   * @param reason for people, one line; may be empty
   * @return fails with {@link dev.colony.agent.AgentException} where {@link #MOST} are suspended
   * @throws IllegalArgumentException for another scope
   */
  CompletableFuture<Void> suspend(Scope scope, String reason);

  /**
   * Takes the suspension of just this scope back; without one it changes nothing. What a larger or
   * a smaller scope is suspended by stays.
   *
   * @throws IllegalArgumentException as {@link #suspend} does
   */
  CompletableFuture<Void> resume(Scope scope);

  /** Those of a tenant, the larger scopes first. */
  CompletableFuture<List<ScopeSuspension>> list(String tenant);

  /**
   * That a scope is suspended.
   *
   * @param reason for people; may be empty
   * @param since when, by the blackboard's clock
   */
  record ScopeSuspension(Scope scope, String reason, Instant since) {

    public ScopeSuspension {
      check(scope);
      reason = reason == null ? "" : reason;
      Objects.requireNonNull(since, "since");
    }

    /** For people, one line. */
    public String words() {
      return words(scope) + " is suspended" + (reason.isEmpty() ? "" : ": " + reason);
    }

    /** A scope that can be suspended, for people. */
    public static String words(Scope scope) {
      return switch (check(scope).level()) {
        case TENANT -> "tenant " + scope.tenant();
        case COLONY -> "colony " + scope.tenant() + "/" + scope.colony().orElseThrow();
        case AGENT, SESSION -> "the tree of agents of " + top(scope);
      };
    }

    /** The agent at the top of a tree. */
    public static AgentId top(Scope tree) {
      return new AgentId(tree.tenant(), tree.colony().orElseThrow(), tree.id().orElseThrow());
    }

    /**
     * The scope itself.
     *
     * @throws IllegalArgumentException if it cannot be suspended
     */
    public static Scope check(Scope scope) {
      if (scope.level() == ScopeLevel.SESSION || scope.namespace().isPresent()) {
        throw new IllegalArgumentException(
            "a tenant, a colony or an agent with its descendants can be suspended, not " + scope);
      }
      return scope;
    }
  }
}
