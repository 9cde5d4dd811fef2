package dev.colony.blackboard.redis;

import dev.colony.blackboard.Scope;

/**
 * The Redis keys of one scope. All share the hash tag of the scope's inbox bucket, so that one
 * script may touch entry, event and request, on a Redis Cluster too. A slash ends the scope: no
 * part of its path holds one.
 */
record ScopeKeys(Scope scope, int bucket) {

  /** Where hints are published, with the bucket's number as text. */
  static final String HINTS = "colony:inbox";

  /** How many inbox buckets the data are laid out for. */
  static final String BUCKETS = "colony:buckets";

  static String inbox(int bucket) {
    return prefix(bucket) + "inbox";
  }

  /**
   * A hash: v value, n version, c/cb created at/by, u/ub updated at/by, t tags, m metadata, x
   * expiry.
   */
  String entry(String key) {
    return named("entry") + "/" + key;
  }

  /** A sorted set of all keys, of one score: ordered by their bytes. */
  String index() {
    return named("keys");
  }

  /** A sorted set of the keys that expire, by when they do. */
  String expiring() {
    return named("expiring");
  }

  String events() {
    return named("events");
  }

  /** The position of the newest event. */
  String head() {
    return named("head");
  }

  /** What calls of a period have done, by their ids. */
  String repeats(long period) {
    return named("repeats") + "/" + period;
  }

  /** Where events are published. */
  String channel() {
    return "colony:events:" + scope.path();
  }

  private String named(String what) {
    return prefix(bucket) + what + ":" + scope.path();
  }

  private static String prefix(int bucket) {
    return "colony:{inbox-" + bucket + "}:";
  }
}
