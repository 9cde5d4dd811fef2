package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.redis.RedisBoardStore.CommitCall;
import dev.colony.blackboard.redis.RedisFeeds.RedisEventLog;
import dev.colony.blackboard.value.ValueCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Copies of calls that come again, late, or never: what the scripts answer to them. */
class LaneScriptTest extends RedisTest {

  private static final ValueCodec CODEC = new ValueCodec(1_000);

  @Test
  void copyOfACallIsAnsweredWithWhatTheFirstDid() {
    String first = put(0, 1, "k", "ours");
    written(board().write(text("k", "theirs")), 2);
    assertThat(put(0, 1, "k", "ours")).isEqualTo(first);
    assertThat(history(board())).hasSize(2);
  }

  @Test
  void stragglerDoesNothing() {
    put(0, 5, "k", "new");
    assertThat(put(0, 4, "k", "old")).isEqualTo("O");
    assertThat(put(1, 4, "other", "of another lane")).startsWith("D ");
    assertThat(get(board().read("k")).orElseThrow().version()).isEqualTo(1);
  }

  @Test
  void conflictStaysOneWhenItsCopyWouldSucceed() {
    put(0, 1, "k", "there");
    Commit onlyIfAbsent =
        new Commit(
            "w",
            List.of(new CommitCondition.Version("k", 0)),
            List.of(put("k", "mine")),
            Optional.empty());
    String conflict = commit(0, 2, onlyIfAbsent);
    assertThat(conflict).isEqualTo("F 1 k");
    get(board().delete("k"));
    assertThat(commit(0, 2, onlyIfAbsent)).isEqualTo(conflict);
    assertThat(get(board().read("k"))).isEmpty();
  }

  @Test
  void copyOfAClearingLeavesWhatCameAfterIt() {
    put(0, 1, "k", "old");
    assertThat(run(ScopeCalls.CLEAR, 0, 2, List.of())).isEqualTo("1");
    written(board().write(text("k", "new")), 1);
    assertThat(run(ScopeCalls.CLEAR, 0, 2, List.of())).isEqualTo("1");
    assertThat(get(board().read("k"))).isPresent();
  }

  @Test
  void copyOfAForgettingAnswersAsTheFirst() {
    get(board().acknowledge("name", Position.BEGINNING));
    List<byte[]> forget = List.of(bytes("forget"), bytes("name"));
    assertThat(run(ScopeCalls.DURABLE, 0, 1, forget)).isEqualTo("1");
    assertThat(run(ScopeCalls.DURABLE, 0, 1, forget)).isEqualTo("1");
    assertThat(run(ScopeCalls.DURABLE, 0, 2, forget)).isEqualTo("0");
  }

  @Test
  void overtakenCallFailsForItsCaller() {
    ScopeCalls calls = new ScopeCalls(connections, UNSWEPT.events(), InstantSource.system());
    RedisEventLog log =
        new RedisEventLog(
            connections,
            calls,
            keys,
            CODEC,
            new BoardPayloads(connections, PayloadVault.none(), 1));
    get(log.acknowledged(new SubscribeFrom.Durable("name", SubscribeFrom.now())));
    String lane = get(redis().keys("*lanes/*" + calls.process() + "*")).getFirst();
    get(redis().set(lane, bytes("1000 0-0")));
    assertThatThrownBy(() -> get(log.forget("name")))
        .hasCauseInstanceOf(BlackboardException.class)
        .hasMessageContaining("overtaken");
  }

  private String put(int lane, long number, String key, String value) {
    return commit(
        lane, number, new Commit("w", List.of(), List.of(put(key, value)), Optional.empty()));
  }

  private static Change put(String key, String value) {
    return new Change.Put(
        key,
        TextNode.valueOf(value),
        Set.of(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private String commit(int lane, long number, Commit commit) {
    return run(
        ScopeCalls.COMMIT,
        lane,
        number,
        CommitCall.arguments(
            commit, CommitCall.values(commit, CODEC), CODEC, BlackboardSettings.DEFAULTS.inbox()));
  }

  private String run(RedisScript script, int lane, long number, List<byte[]> arguments) {
    byte[] reply =
        get(
            script.<byte[]>run(
                redis(),
                new String[] {keys.base(), keys.lane("test" + scope.tenant(), lane)},
                ScopeCalls.arguments(UNSWEPT.events(), number, "w", arguments, Instant.now())));
    return new String(reply, StandardCharsets.UTF_8);
  }
}
