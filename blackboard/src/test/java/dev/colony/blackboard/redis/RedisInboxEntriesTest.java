package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a user of Redis puts into the stream of an inbox bucket that is no message. */
class RedisInboxEntriesTest extends RedisTest {

  /** Every tenant's user may write there. */
  @Test
  void entryThatIsNoMessageHoldsUpNoOther() {
    RedisBlackboards blackboards = blackboards(UNSWEPT);
    Inbox inbox = blackboards.inbox();
    Blackboard board = blackboards.open(scope, "w");
    String stream = ScopeKeys.inbox(keys.bucket());
    get(inbox.acknowledge(keys.bucket(), get(inbox.pending(keys.bucket(), 10_000))));
    get(redis().xadd(stream, Map.of("s", bytes("no scope"))));
    get(redis().xadd(stream, Map.of("other", bytes("field"))));
    get(redis().xadd(stream, Map.of("s", bytes(scope.path()), "r", bytes("a"), "e", bytes("x"))));
    written(board.send(text("asked", ""), "agent"), 1);
    List<InboxMessage> pending = get(inbox.pending(keys.bucket(), 2));
    assertThat(pending)
        .singleElement()
        .isInstanceOfSatisfying(
            InboxMessage.Request.class, asked -> assertThat(asked.key()).isEqualTo("asked"));
    assertThat(get(redis().xlen(stream))).as("what is no message stays").isEqualTo(4);
  }
}
