package dev.colony.blackboard.server;

import dev.colony.blackboard.server.ProcessState.Pause;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A Redis Cluster of three servers without replicas, a third of the slots each. */
public final class TestRedisCluster implements AutoCloseable {

  private static final int SLOTS = 16_384;
  private static final int SERVERS = 3;
  private static final long READY_MILLIS = 30_000;

  private static TestRedisCluster shared;

  private final List<TestServer> servers;

  private TestRedisCluster() {
    this.servers =
        Stream.generate(() ->
                TestServer.start(
                    "cluster-enabled yes",
                    "cluster-node-timeout 2000",
                    "appendonly yes",
                    "appendfsync always"))
            .limit(SERVERS)
            .toList();
    for (int i = 0; i < SERVERS; i++) {
      RedisShell shell = servers.get(i).shell();
      shell.command("CLUSTER SET-CONFIG-EPOCH " + (i + 1));
      shell.command(
          "CLUSTER ADDSLOTS "
              + IntStream.range(SLOTS * i / SERVERS, SLOTS * (i + 1) / SERVERS)
                  .mapToObj(Integer::toString)
                  .collect(Collectors.joining(" ")));
    }
    servers
        .subList(1, SERVERS)
        .forEach(server -> server.shell().command("CLUSTER MEET 127.0.0.1 " + port(0)));
    awaitReady();
  }

  public static TestRedisCluster start() {
    return new TestRedisCluster();
  }

  /** One cluster for all tests of this JVM, which ends with it. */
  public static synchronized TestRedisCluster shared() {
    if (shared == null) {
      shared = start();
    }
    return shared;
  }

  /** Names two of the three: the client finds the other. */
  public String uri() {
    return "redis-cluster://127.0.0.1:%d,127.0.0.1:%d".formatted(port(0), port(1));
  }

  public TestServer server(int index) {
    return servers.get(index);
  }

  /** The server that has the slot of this key. */
  public TestServer serverOf(String key) {
    int slot = Integer.parseInt(servers.get(0).shell().command("CLUSTER KEYSLOT " + key));
    return IntStream.range(0, SERVERS)
        .filter(i -> slot < SLOTS * (i + 1) / SERVERS)
        .mapToObj(servers::get)
        .findFirst()
        .orElseThrow();
  }

  /** Waits until every server finds that the cluster serves all slots. */
  public void awaitReady() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_MILLIS);
    for (TestServer server : servers) {
      String info = server.shell().command("CLUSTER INFO");
      while (!info.contains("cluster_state:ok") || !info.contains("cluster_size:" + SERVERS)) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("the test cluster does not come up: " + info);
        }
        Pause.millis(20);
        info = server.shell().command("CLUSTER INFO");
      }
    }
  }

  private int port(int index) {
    return servers.get(index).port();
  }

  @Override
  public void close() {
    servers.forEach(TestServer::close);
  }
}
