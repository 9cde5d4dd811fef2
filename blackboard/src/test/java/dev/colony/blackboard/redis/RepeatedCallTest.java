package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Recorder;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.server.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A call whose answer is lost is repeated by the client; another writer comes between. */
class RepeatedCallTest {

  private static final BlackboardSettings SETTINGS = BlackboardSettings.DEFAULTS;

  /**
   * Asks so rarely whether Redis is there that no such answer is swallowed in place of a call's.
   */
  private static final RedisSettings UNOBTRUSIVE =
      RedisSettings.withTimeout(Duration.ofSeconds(20))
          .withReconnect(Duration.ofMillis(20), Duration.ofMillis(100))
          .withRequestQueue(1_000)
          .withSilentAfter(Duration.ofHours(1));

  private final String tenant = "t" + UUID.randomUUID();
  private final Scope scope = Scope.agent(tenant, "c", "a");
  private final TestRedis redis = TestRedis.shared();
  private RedisDoor door;
  private RedisConnections straight;
  private RedisConnections throughDoor;
  private RedisBlackboards others;
  private RedisBlackboards ours;

  @BeforeEach
  void open() throws Exception {
    door = new RedisDoor(redis.port());
    straight = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
    throughDoor = new RedisConnections(door.uri(), UNOBTRUSIVE);
    others = new RedisBlackboards(straight, SETTINGS);
    ours = new RedisBlackboards(throughDoor, SETTINGS);
  }

  @AfterEach
  void close() {
    ours.close();
    others.close();
    throughDoor.close();
    straight.close();
    door.close();
  }

  @Test
  void repeatedWriteIsAnsweredAndNotDoneAgain() throws Exception {
    WriteResult answer = repeated(board -> board.write(Write.of("k", text("ours"))), "k");
    assertThat(answer)
        .isInstanceOfSatisfying(
            WriteResult.Written.class, result -> assertThat(result.version()).isEqualTo(1));
    assertThat(events()).containsExactly("k=ours", "k=theirs");
    assertThat(value("k")).isEqualTo("theirs");
  }

  @Test
  void repeatedOptimisticWriteIsNoConflictWithItself() throws Exception {
    WriteResult answer =
        repeated(board -> board.write(Write.of("k", text("ours")).ifAbsent()), "k");
    assertThat(answer).isInstanceOf(WriteResult.Written.class);
  }

  @Test
  void repeatedRequestIsInTheInboxOnce() throws Exception {
    repeated(board -> board.send(Write.of("k", text("ours")), "someone"), "k");
    List<InboxMessage> requests =
        others
            .inbox()
            .pending(InboxBucket.of(scope, SETTINGS.buckets()), 1_000)
            .toCompletableFuture()
            .join()
            .stream()
            .filter(message -> message.scope().equals(scope))
            .toList();
    assertThat(requests).hasSize(1);
  }

  @Test
  void repeatedDeleteDoesNotDeleteWhatCameAfterIt() throws Exception {
    others.open(scope, "b").write(Write.of("k", text("old"))).toCompletableFuture().join();
    boolean deleted = repeated(board -> board.delete("k"), "k");
    assertThat(deleted).isTrue();
    assertThat(value("k")).isEqualTo("theirs");
    assertThat(events()).containsExactly("k=old", "k deleted", "k=theirs");
  }

  /** Makes the call, loses its answer, writes by another client, and lets the repeat through. */
  private <T> T repeated(Function<Blackboard, CompletionStage<T>> call, String key)
      throws Exception {
    Blackboard board = ours.open(scope, "a");
    // The scripts are known to the server from here on, so that the first answer is the call's.
    board.write(Write.of("warm", text(""))).toCompletableFuture().join();
    board.delete("warm").toCompletableFuture().join();
    // Other connections may be getting answers too, of their greeting for one.
    CountDownLatch eaten = door.eatAnswerTo(tenant);
    CompletionStage<T> answer = call.apply(board);
    assertThat(eaten.await(20, TimeUnit.SECONDS)).isTrue();
    others.open(scope, "b").write(Write.of(key, text("theirs"))).toCompletableFuture().join();
    assertThat(answer.toCompletableFuture()).isNotDone();
    door.open();
    return answer.toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private List<String> events() {
    Blackboard board = others.open(scope, "b");
    Recorder recorder = Recorder.eager().to(board.subscribe("*", SubscribeFrom.beginning()));
    board.write(Write.of("end", text(""))).toCompletableFuture().join();
    return recorder.awaitEvent(event -> event.entryKey().orElse("").equals("end")).events().stream()
        .filter(event -> event.entryKey().orElse("").equals("k"))
        .map(event ->
            switch (event) {
              case BlackboardEvent.Written written -> "k=" + written.value().asText();
              case BlackboardEvent.OfEntry other -> "k deleted";
              case BlackboardEvent.Cleared cleared -> "cleared";
            })
        .toList();
  }

  private String value(String key) {
    return others
        .open(scope, "b")
        .read(key)
        .toCompletableFuture()
        .join()
        .orElseThrow()
        .value()
        .asText();
  }

  private static TextNode text(String value) {
    return TextNode.valueOf(value);
  }
}
