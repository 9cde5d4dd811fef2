package dev.colony.blackboard.fault;

import static dev.colony.blackboard.fault.LostTailContract.now;
import static dev.colony.blackboard.fault.LostTailContract.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.server.TestRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The append-only file ends in the midst of a commit, as when a machine crashes or a server is
 * killed while it writes: nothing of that commit is there, neither after the next start nor after
 * the one after it.
 */
class TornCommitTest {

  private static final int BEFORE = 3;
  private static final int INTO_A_COMMAND = 3;

  @Test
  void nothingOfATornCommitComesBack() throws Exception {
    try (TestRedis redis = TestRedis.start();
        RedisConnections connections =
            new RedisConnections(
                redis.uri(),
                RedisSettings.withTimeout(Duration.ofSeconds(30))
                    .withReconnect(Duration.ofMillis(20), Duration.ofMillis(200)));
        RedisBlackboards blackboards =
            new RedisBlackboards(connections, BlackboardSettings.DEFAULTS)) {
      for (int command = 0; tear(redis, blackboards, command); command++) {
        assertThat(command).as("commands of a commit").isLessThan(50);
      }
    }
  }

  /** Tears one command of a commit; false if the commit has fewer. */
  private static boolean tear(TestRedis redis, RedisBlackboards blackboards, int command)
      throws IOException {
    Blackboard board = blackboards.open(Scope.session("t", "c", "s" + command), "w");
    write(board, "before", BEFORE);
    long kept = TornFile.size(redis);
    now(board.send(Write.value("torn", "x").tags("t").ttl(Duration.ofHours(1)), "someone"));
    List<Long> ends = ends(redis, kept);
    if (command >= ends.size() - 1) {
      return false;
    }
    redis.kill();
    TornFile.cut(redis, ends.get(command) + INTO_A_COMMAND);
    redis.ensure();
    write(board, "after", 1);
    redis.stop();
    redis.ensure();
    List<BlackboardEvent> log = now(board.history(EventFilter.all(), Position.BEGINNING, 100));
    assertThat(log)
        .as("after the end of command " + command)
        .extracting(event -> event.entryKey().orElse(""))
        .containsExactly("before0", "before1", "before2", "after0");
    assertThat(log).extracting(event -> event.position().ordinal()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(now(board.read("torn"))).isEmpty();
    assertThat(now(board.statistics()).entries()).isEqualTo(BEFORE + 1);
    return true;
  }

  /** Where each command ends that was written after a place, the last one included. */
  private static List<Long> ends(TestRedis redis, long from) throws IOException {
    byte[] file = Files.readAllBytes(TornFile.file(redis));
    List<Long> ends = new ArrayList<>();
    int at = (int) from;
    while (at < file.length) {
      int arguments = number(file, at);
      at = line(file, at);
      for (int n = 0; n < arguments; n++) {
        int length = number(file, at);
        at = line(file, at) + length + 2;
      }
      ends.add((long) at);
    }
    return ends;
  }

  /** The number of a line like {@code *3} or {@code $12}. */
  private static int number(byte[] file, int at) {
    byte[] digits = Arrays.copyOfRange(file, at + 1, line(file, at) - 2);
    return Integer.parseInt(new String(digits, StandardCharsets.US_ASCII));
  }

  /** Where the next line begins. */
  private static int line(byte[] file, int at) {
    int end = at;
    while (file[end] != '\n') {
      end++;
    }
    return end + 1;
  }
}
