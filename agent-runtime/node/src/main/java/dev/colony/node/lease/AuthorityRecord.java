package dev.colony.node.lease;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Says on the blackboard that there is an authority of leases, for longer than the leases last that
 * it grants: so one that begins knows whether another, of a cluster that has ended since, may have
 * granted some. It holds for twice the grace and is renewed every half of it, which leaves a
 * renewal half the grace to be stored, where the grace is as long as a term. Thread-safe.
 */
final class AuthorityRecord {

  static final Scope SCOPE = Scope.tenant("system").namespace("agent-leases");
  static final String KEY = "authority";

  private final Blackboard board;
  private final Duration grace;
  private final String authority;

  /**
   * @param authority names the process
   */
  AuthorityRecord(Blackboard board, Duration grace, String authority) {
    this.board = board;
    this.grace = grace;
    this.authority = authority;
  }

  /** How often it is to be renewed. */
  Duration renewal() {
    return grace.dividedBy(2);
  }

  private Write write() {
    return Write.of(KEY, JsonNodeFactory.instance.objectNode().put("authority", authority))
        .ttl(grace.multipliedBy(2));
  }

  /**
   * Makes the record where there is none. Done when it is stored.
   *
   * @return whether there was none
   */
  CompletionStage<Boolean> first() {
    return board.write(write().ifAbsent()).thenApply(WriteResult.Written.class::isInstance);
  }

  /** Renews it. */
  CompletionStage<WriteResult> stands() {
    return board.write(write());
  }

  /** Takes it back: no agent is left that has a lease. */
  CompletionStage<Boolean> ends() {
    return board.delete(KEY);
  }
}
