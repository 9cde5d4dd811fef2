package dev.colony.blackboard.redis;

import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.redis.ScopeCalls.Lanes;

/**
 * The Redis keys of one scope. All share the hash tag of the scope's inbox bucket, so that one
 * script may touch entries, events and requests, on a Redis Cluster too. The first slash ends the
 * scope: no part of its path holds one.
 *
 * @param base the key of the scope's head (see scope.lua), the channel where its events are
 *     published, and what its other keys begin with
 */
record ScopeKeys(Scope scope, int bucket, String base) {

  /** Where hints are published, with the bucket's number as text. */
  static final String HINTS = "colony:inbox";

  /** Where processes say which topics they listen to: the topics' channels, a line each. */
  static final String LISTENERS = "colony:listeners";

  /** How many inbox buckets the data are laid out for. */
  static final String BUCKETS = "colony:buckets";

  /** Which layout the data have. */
  static final String LAYOUT = "colony:layout";

  /** The cluster time, see clock.lua. */
  static final String CLOCK = "colony:clock";

  static ScopeKeys of(Scope scope, int buckets) {
    int bucket = InboxBucket.of(scope, buckets);
    return new ScopeKeys(scope, bucket, prefix(bucket) + scope.path());
  }

  /** The stream of messages to agents. */
  static String inbox(int bucket) {
    return prefix(bucket) + "inbox";
  }

  /** The stream of what could not be delivered. */
  static String dead(int bucket) {
    return inbox(bucket) + "/dead";
  }

  /** A sorted set of the paths of the bucket's scopes, of one score: ordered by their bytes. */
  static String scopes(int bucket) {
    return prefix(bucket) + "scopes";
  }

  /** A sorted set of the paths of scopes with entries that expire, by when the first may do so. */
  static String expiring(int bucket) {
    return prefix(bucket) + "expiring";
  }

  /** What the last call of a lane did in this bucket, see {@link Lanes}. */
  String lane(String process, int lane) {
    return prefix(bucket) + "lanes/" + process + "/" + lane;
  }

  /** A sorted set of all keys, of one score: ordered by their bytes. */
  String index() {
    return base + "/keys";
  }

  /** A sorted set of the keys of the entries with a tag, of one score. */
  String tag(String tag) {
    return base + "/tag/" + tag;
  }

  /** The stream of events. */
  String events() {
    return base + "/events";
  }

  /** The channel of a topic. */
  String topic(String name) {
    return base + "/topic/" + name;
  }

  /** A hash of durable subscriptions: name, position last acknowledged. */
  String durable() {
    return base + "/durable";
  }

  private static String prefix(int bucket) {
    return "colony:{inbox-" + bucket + "}:";
  }
}
