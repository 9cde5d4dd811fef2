package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.server.RespStub;
import dev.colony.blackboard.server.TestServer;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server that refuses writes for a while: each refusal has its reason and says what to do, leaves
 * no trace, and ends with its cause.
 */
class RefusalTest {

  private final TestServer server = TestServer.start("appendonly yes");
  private RedisConnections connections;
  private RedisBlackboards blackboards;
  private Blackboard board;

  @BeforeEach
  void open() {
    connections = new RedisConnections(server.uri(), Duration.ofSeconds(10));
    blackboards =
        new RedisBlackboards(
            connections,
            BlackboardSettings.DEFAULTS
                .withSweepInterval(Duration.ofHours(1))
                .withExpiryInterval(Duration.ofHours(1)));
    board = blackboards.open(Scope.agent("t", "c", "a"), "w");
    get(board.write(text("there").tags("x")));
    get(board.wakeOn("sleeper", List.of(new KeyGlob("*"))));
  }

  @AfterEach
  void close() {
    blackboards.close();
    connections.close();
    server.close();
  }

  @Test
  void fullMemory() {
    server.shell().command("CONFIG SET maxmemory 1");
    assertEveryWriteRefused(Reason.OUT_OF_MEMORY, "raise maxmemory or delete entries");
    // What the message advises works without more memory, for one who comes now too.
    try (RedisBlackboards late = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      assertThat(get(late.open(board.scope(), "w").delete("there"))).isTrue();
    }
    server.shell().command("CONFIG SET maxmemory 0");
    assertWritable();
  }

  @Test
  void replica() {
    server.shell().command("REPLICAOF 127.0.0.1 1");
    assertEveryWriteRefused(Reason.READ_ONLY, "is a replica");
    server.shell().command("REPLICAOF NO ONE");
    assertWritable();
  }

  @Test
  void tooFewReplicas() {
    server.shell().command("CONFIG SET min-replicas-to-write 1");
    assertRefused(board.write(text("k")), Reason.READ_ONLY, "min-replicas-to-write");
    server.shell().command("CONFIG SET min-replicas-to-write 0");
    assertWritable();
  }

  @Test
  void diskThatCannotBeWritten() {
    String home = server.shell().command("CONFIG GET dir").split("\n")[1];
    server.shell().command("CONFIG SET save \"3600 1\"");
    server.shell().command("CONFIG SET dir /proc");
    server.shell().command("BGSAVE");
    await().until(() -> persistence().contains("rdb_last_bgsave_status:err"));
    assertEveryWriteRefused(Reason.DISK, "make room or mend the permissions");
    server.shell().command("CONFIG SET dir " + home);
    server.shell().command("BGSAVE");
    await().until(() -> persistence().contains("rdb_last_bgsave_status:ok"));
    assertWritable();
  }

  @Test
  void writeThatMeetsALoadingServerIsTakenWhenItHasLoaded() throws IOException {
    AtomicInteger refusals = new AtomicInteger(3);
    try (RespStub stub =
            new RespStub(command ->
                switch (command.get(0)) {
                  case "INFO" -> RespStub.bulk("redis_version:6.2.0\r\nmaxmemory:0\r\n");
                  case "EVALSHA" ->
                      refusals.getAndDecrement() > 0 ? "-LOADING Redis is loading" : ":1";
                  default -> "+PONG";
                });
        RedisConnections redis = new RedisConnections(stub.uri(), Duration.ofSeconds(10))) {
      RedisScript script =
          RedisScript.resource(RefusalTest.class, "connecting.lua", ScriptOutputType.INTEGER);
      assertThat(get(script.<Long>run(redis.commands(), new String[] {"k"}))).isEqualTo(1);
      assertThat(refusals).hasNegativeValue();
    }
  }

  /** With the data as they are in Redis before and after, the lanes of calls included. */
  private void assertEveryWriteRefused(Reason reason, String advice) {
    Map<String, String> before = data();
    List<CompletionStage<?>> writes =
        List.of(
            board.write(text("new").tags("x", "y")),
            board.write(text("there")),
            board.send(text("request"), "a"),
            board.writeAll(List.of(text("one"), text("two"))));
    writes.forEach(write -> assertRefused(write, reason, advice));
    assertThat(data()).isEqualTo(before);
    assertThat(get(board.read("there"))).isPresent();
  }

  private void assertWritable() {
    get(board.write(text("new").tags("x")));
    assertThat(get(board.read("new"))).isPresent();
    assertThat(get(board.statistics()).entries())
        .isEqualTo(get(board.query(Query.all())).entries().size());
  }

  private Map<String, String> data() {
    Map<String, String> data = new TreeMap<>();
    for (String key : get(connections.commands().keys("*"))) {
      data.put(key, HexFormat.of().formatHex(get(connections.commands().dump(key))));
    }
    return data;
  }

  private String persistence() {
    return server.shell().command("INFO persistence");
  }

  private static Write text(String key) {
    return Write.of(key, TextNode.valueOf("x"));
  }

  private static void assertRefused(CompletionStage<?> stage, Reason reason, String advice) {
    CompletionException failure =
        catchThrowableOfType(CompletionException.class, () -> stage.toCompletableFuture().join());
    assertThat(failure).isNotNull();
    BlackboardException refused = (BlackboardException) failure.getCause();
    assertThat(refused.reason()).as(refused.getMessage()).isEqualTo(reason);
    assertThat(refused).hasMessageContaining(advice);
    assertThat(refused.getMessage()).doesNotContain("\n");
    assertThat(refused.retryable()).isTrue();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
