package dev.colony.blackboard.server;

/** A Redis user who may do no more than the blackboard and the journal need. */
public final class TestUser {

  /** The user's rules, word for word as docs/concepts/blackboard.md gives them. */
  public static final String RULES =
      "~colony:* resetchannels &colony:*"
          + " +ping +info +subscribe +unsubscribe +eval +evalsha"
          + " +del +exists +get +getrange +rename +set +strlen +unlink +time +publish"
          + " +hdel +hexists +hget +hgetall +hincrby +hkeys +hlen +hmget +hset"
          + " +sadd +smembers +srem"
          + " +pexpire +persist +xadd +xdel +xlen +xrange +xrevrange +xtrim"
          + " +zadd +zcard +zincrby +zlexcount +zrange +zrangebylex +zrangebyscore +zrem"
          + " +zremrangebyscore +zrevrangebyscore +zunionstore";

  private TestUser() {}

  /** A server that knows only this user, with these settings besides. */
  public static TestServer server(String... settings) {
    String users = "user default off\nuser least on >secret " + RULES + "\n";
    return TestServer.start(users + String.join("\n", settings));
  }

  /** The server's URL for this user. */
  public static String uri(TestServer server) {
    return server.uri().replace("://", "://least:secret@");
  }
}
