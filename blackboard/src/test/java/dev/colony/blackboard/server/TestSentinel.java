package dev.colony.blackboard.server;

import dev.colony.blackboard.server.ProcessState.Pause;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** A primary, its replica, and a sentinel that promotes the replica when the primary is gone. */
public final class TestSentinel implements AutoCloseable {

  private static final long READY_MILLIS = 30_000;

  private final TestServer primary = TestServer.start("appendonly yes", "appendfsync always");
  private final TestServer replica =
      TestServer.start(
          "replicaof 127.0.0.1 " + primary.port(), "appendonly yes", "repl-diskless-sync-delay 0");
  private final TestServer sentinel;

  private TestSentinel() {
    await(replica, "INFO replication", "master_link_status:up");
    this.sentinel =
        TestServer.sentinel(
            "sentinel monitor main 127.0.0.1 " + primary.port() + " 1",
            "sentinel down-after-milliseconds main 500",
            "sentinel failover-timeout main 3000");
    await(sentinel, "INFO sentinel", "slaves=1");
  }

  public static TestSentinel start() {
    return new TestSentinel();
  }

  public String uri() {
    return "redis-sentinel://127.0.0.1:" + sentinel.port() + "#main";
  }

  /** The one at the start. */
  public TestServer primary() {
    return primary;
  }

  /** The one at the start; the primary after {@link #awaitPromotion}. */
  public TestServer replica() {
    return replica;
  }

  /** Waits until the replica has become the primary. */
  public void awaitPromotion() {
    await(replica, "INFO replication", "role:master");
  }

  /** Waits until the replica has all that the primary has. */
  public void awaitReplicated() {
    await(replica, "INFO replication", "slave_repl_offset:" + offset());
  }

  private String offset() {
    return primary
        .shell()
        .command("INFO replication")
        .lines()
        .filter(line -> line.startsWith("master_repl_offset:"))
        .map(line -> line.substring("master_repl_offset:".length()).strip())
        .findFirst()
        .orElseThrow();
  }

  /**
   * Keeps from the replica what is written from now on: it is thrown out and has no password to
   * come back. All other connections stay.
   */
  public void cutReplica() {
    primary.shell().commands("CONFIG SET requirepass x", "CLIENT KILL TYPE replica");
  }

  private static void await(TestServer server, String question, String part) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS);
    String answer = answer(server, question);
    while (!answer.contains(part)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("no " + part + " in " + answer);
      }
      Pause.millis(10);
      answer = answer(server, question);
    }
  }

  /** A server that is promoted ends the connections that it has. */
  private static String answer(TestServer server, String question) {
    try {
      return server.shell().command(question);
    } catch (UncheckedIOException ended) {
      return ended.getMessage();
    }
  }

  @Override
  public void close() {
    sentinel.close();
    replica.close();
    primary.close();
  }
}
