package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a node of an earlier release does to the same Redis, while a cluster is upgraded node by
 * node: it knows nothing of what the scripts here count and index.
 */
class EarlierReleaseTest extends RedisTest {

  @Test
  void subscriptionsThatItMadeAreAmongTheSlowest() {
    Blackboard board = board();
    written(board.write(text("a", "")), 1);
    Position first = get(board.statistics()).head();
    written(board.write(text("b", "")), 1);
    get(redis().hset(keys.durable(), "old", bytes(first.toString())));
    get(board.acknowledge("new", get(board.statistics()).head()));
    assertThat(slowest()).isEqualTo("1");
    get(board.forget("old"));
    assertThat(slowest()).isEqualTo("2");
  }

  /** Else the events behind it would be kept for ever. */
  @Test
  void subscriptionsThatItForgotAreNotAmongTheSlowest() {
    Blackboard board = board();
    written(board.write(text("a", "")), 1);
    get(board.acknowledge("forgotten", get(board.statistics()).head()));
    written(board.write(text("b", "")), 1);
    get(board.acknowledge("stays", get(board.statistics()).head()));
    get(redis().hdel(keys.durable(), "forgotten"));
    written(board.write(text("c", "")), 1);
    get(board.acknowledge("stays", get(board.statistics()).head()));
    assertThat(slowest()).isEqualTo("3");
    assertThat(get(redis().zcard(keys.base() + "/acknowledged"))).isEqualTo(1);
  }

  /** Else there would be less room with each, and in the end none. */
  @Test
  void requestsThatItTookOutOfTheInboxTakeUpNoRoom() {
    BlackboardSettings.Inbox two = new BlackboardSettings.Inbox(2, 10, 10, 10, Duration.ofDays(1));
    RedisBlackboards blackboards = blackboards(UNSWEPT.withInbox(two));
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope, "w");
    get(inbox.acknowledge(keys.bucket(), pending(inbox)));
    for (int n = 0; n < 3; n++) {
      written(board.offer(text("taken" + n, ""), "agent"), 1);
      written(board.offer(text("left" + n, ""), "agent"), 1);
      List<InboxMessage> both = pending(inbox);
      get(redis().xdel(ScopeKeys.inbox(keys.bucket()), both.getFirst().id()));
      get(inbox.acknowledge(keys.bucket(), both.subList(1, 2)));
    }
    assertThat(get(redis().exists(ScopeKeys.inbox(keys.bucket()) + "/waiting"))).isZero();
  }

  /** Nothing that was offered is left to be taken out, which would find that nothing waits. */
  @Test
  void requestsThatItTookOutOfAnEmptyInboxTakeUpNoRoom() {
    BlackboardSettings.Inbox two = new BlackboardSettings.Inbox(2, 10, 10, 10, Duration.ofDays(1));
    RedisBlackboards blackboards = blackboards(UNSWEPT.withInbox(two));
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope, "w");
    get(inbox.acknowledge(keys.bucket(), pending(inbox)));
    written(board.offer(text("taken0", ""), "agent"), 1);
    written(board.offer(text("taken1", ""), "agent"), 1);
    for (InboxMessage message : pending(inbox)) {
      get(redis().xdel(ScopeKeys.inbox(keys.bucket()), message.id()));
    }
    written(board.offer(text("next", ""), "agent"), 1);
  }

  private List<InboxMessage> pending(Inbox inbox) {
    return get(inbox.pending(keys.bucket(), 10_000));
  }

  private String slowest() {
    return new String(get(redis().hget(keys.base(), "d")), UTF_8);
  }
}
