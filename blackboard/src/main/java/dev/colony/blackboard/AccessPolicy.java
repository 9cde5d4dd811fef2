package dev.colony.blackboard;

import java.util.Optional;

/**
 * Who may do what. Pure and quick: it is asked for every key, also for every entry that a query
 * finds and every event that is handed on; those that may not be read are left out. An event of the
 * whole scope is handed on to every subscriber. It guards against mistakes of an agent that goes
 * through its board, not against a process that opens the backend by itself; a query's cursor may
 * name a key that may not be read.
 */
@FunctionalInterface
public interface AccessPolicy {

  /**
   * @param agent the name under which the blackboard was opened
   * @param key empty for {@link Operation#CLEAR}
   * @return why not, for a person; empty if it is allowed
   */
  Optional<String> refusal(String agent, Operation operation, String key);

  /** Everything is allowed. */
  static AccessPolicy open() {
    return (agent, operation, key) -> Optional.empty();
  }

  /** Both must allow it. */
  default AccessPolicy and(AccessPolicy other) {
    return (agent, operation, key) ->
        refusal(agent, operation, key).or(() -> other.refusal(agent, operation, key));
  }

  /** What an agent may be allowed to do with a key. */
  enum Operation {
    /** To read it, find it by a query or hear of its events. */
    READ,
    WRITE,
    DELETE,
    /** To clear the whole scope; the key is empty. */
    CLEAR
  }
}
