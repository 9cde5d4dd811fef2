package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.server.RespStub;
import dev.colony.blackboard.server.TestRedisCluster;
import dev.colony.blackboard.server.TestSentinel;
import dev.colony.blackboard.server.TestServer;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that are refused when connecting, each with its reason and what to do. */
class UnfitServerTest {

  private static final Duration SOON = Duration.ofSeconds(2);

  @ParameterizedTest
  @CsvSource({"6.0.16, true", "5.9.9, true", "6.2.0, false", "7.0.1, false", "10.0.0, false"})
  void serverOlderThan62IsRefused(String version, boolean refused) throws IOException {
    try (RespStub stub = info("redis_version:" + version + "\r\nmaxmemory:0\r\n")) {
      if (refused) {
        assertRefused(stub.uri(), Reason.UNSUPPORTED_VERSION, version, "6.2 or newer is needed");
      } else {
        new RedisConnections(stub.uri(), SOON).close();
      }
    }
  }

  @Test
  void serverThatEvictsIsRefused() {
    try (TestServer server = TestServer.start("maxmemory 100mb", "maxmemory-policy allkeys-lru")) {
      assertRefused(
          server.uri(), Reason.MISCONFIGURED, "allkeys-lru", "set maxmemory-policy noeviction");
      server.shell().command("CONFIG SET maxmemory-policy noeviction");
      new RedisConnections(server.uri(), SOON).close();
    }
  }

  /** Debian's default. */
  @Test
  void serverThatKeepsNothingOverARestartIsRefusedUnlessItIsAllowed() {
    try (TestServer server = TestServer.start("appendonly no")) {
      assertRefused(server.uri(), Reason.MISCONFIGURED, "appendonly no", "set appendonly yes");
      new RedisConnections(server.uri(), RedisSettings.withTimeout(SOON).withAllowNoAof(true))
          .close();
      server.shell().command("CONFIG SET appendonly yes");
      new RedisConnections(server.uri(), SOON).close();
    }
  }

  @Test
  void whatAServerMayLoseIsSaidOnce() {
    try (TestServer server = TestServer.start("appendfsync everysec");
        TestServer replica = TestServer.start("replicaof 127.0.0.1 " + server.port())) {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> replica.shell().command("INFO replication").contains("master_link_status:up"));
      assertThat(warnings(server, 0))
          .anyMatch(line -> line.contains("appendfsync everysec"))
          .anyMatch(line -> line.contains("wait-replicas"));
      assertThat(warnings(server, 1)).noneMatch(line -> line.contains("wait-replicas"));
      server.shell().command("CONFIG SET min-replicas-to-write 1");
      server.shell().command("CONFIG SET appendfsync always");
      assertThat(warnings(server, 0)).noneMatch(line -> line.contains("docs/operations/faults.md"));
    }
  }

  private static List<String> warnings(TestServer server, int waitReplicas) {
    RedisSettings settings = RedisSettings.withTimeout(SOON).withWaitReplicas(waitReplicas);
    try (RedisConnections redis = new RedisConnections(server.uri(), settings)) {
      return redis.warnings();
    }
  }

  @Test
  void memberOfAClusterIsNotTakenForAServer() {
    assertRefused(
        TestRedisCluster.shared().server(0).uri(), Reason.MISCONFIGURED, "redis-cluster://");
  }

  @Test
  void serverIsNotTakenForACluster() {
    try (TestServer server = TestServer.start()) {
      assertRefused(
          server.uri().replace("redis:", "redis-cluster:"), Reason.MISCONFIGURED, "write redis://");
    }
  }

  @Test
  void nobodyThereIsSaidWithTheAddress() {
    try (TestServer server = TestServer.start()) {
      server.kill();
      assertRefused(
          server.uri().replace("://", "://someone:secret@"),
          Reason.UNREACHABLE,
          "no Redis answers at 127.0.0.1:" + server.port());
      assertRefused(
          server.uri().replace("redis://", "redis-cluster://someone:secret@"),
          Reason.UNREACHABLE,
          "no Redis answers at the cluster of 127.0.0.1:" + server.port());
      assertRefused(
          server.uri().replace("redis://", "redis-sentinel://someone:secret@") + "#main",
          Reason.UNREACHABLE,
          "no Redis answers at the primary 'main' of the sentinels 127.0.0.1:" + server.port());
    }
  }

  @Test
  void primaryThatSentinelsDoNotKnowIsNamed() {
    try (TestSentinel sentinel = TestSentinel.start()) {
      assertRefused(
          sentinel.uri().replace("#main", "#other"), Reason.UNREACHABLE, "the primary 'other'");
    }
  }

  @Test
  void loadingServerIsSaidToLoad() throws IOException {
    try (RespStub stub = new RespStub(command -> "-LOADING Redis is loading the dataset")) {
      assertRefused(stub.uri(), Reason.LOADING, "wait");
    }
  }

  @Test
  void serverThatHangsIsSaidNotToAnswer() {
    try (TestServer server = TestServer.start()) {
      server.shell().command("CLIENT PAUSE 60000");
      assertRefused(server.uri(), Reason.TIMEOUT, "does not answer");
    }
  }

  @Test
  void refusalThatTheClientMissedIsAskedForAgain() {
    RedisException missed =
        new RedisException(new IllegalStateException("RedisHandshakeHandler not registered"));
    List<RuntimeException> dials =
        new ArrayList<>(
            List.of(missed, missed, new RedisCommandExecutionException("NOAUTH Authentication")));
    assertThatThrownBy(() ->
            RedisConnections.connecting(
                "here",
                () -> {
                  throw dials.removeFirst();
                }))
        .isInstanceOfSatisfying(
            BlackboardException.class,
            refused -> assertThat(refused.reason()).isEqualTo(Reason.UNAUTHENTICATED));
    assertThatThrownBy(() ->
            RedisConnections.connecting(
                "here",
                () -> {
                  throw missed;
                }))
        .isInstanceOfSatisfying(
            BlackboardException.class,
            refused -> assertThat(refused.reason()).isEqualTo(Reason.UNREACHABLE));
  }

  private static RespStub info(String info) throws IOException {
    return new RespStub(command -> command.get(0).equals("INFO") ? RespStub.bulk(info) : "+OK");
  }

  static void assertRefused(String url, Reason reason, String... parts) {
    assertRefused(url, RedisSettings.withTimeout(SOON), reason, parts);
  }

  static void assertRefused(String url, RedisSettings settings, Reason reason, String... parts) {
    BlackboardException refused =
        catchThrowableOfType(
            BlackboardException.class, () -> new RedisConnections(url, settings).close());
    assertThat(refused).isNotNull().hasMessageContainingAll(parts);
    assertThat(refused.reason()).as(refused.getMessage()).isEqualTo(reason);
    assertThat(refused.getMessage()).doesNotContain("\n");
    for (Throwable each = refused; each != null; each = each.getCause()) {
      assertThat(String.valueOf(each.getMessage())).doesNotContain("someone", "secret");
    }
  }
}
