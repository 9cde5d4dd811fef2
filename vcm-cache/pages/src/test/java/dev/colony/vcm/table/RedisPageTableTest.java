package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.vcm.Fixtures;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RedisPageTableTest extends PageTableContract {

  private final RedisConnections connections =
      new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20));
  private final Blackboards blackboards =
      new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);

  /** All tests share the table's one scope. */
  @AfterEach
  void close() {
    connections.commands().flushall().toCompletableFuture().join();
    blackboards.close();
    connections.close();
  }

  @Override
  Blackboards blackboards() {
    return blackboards;
  }

  /** As after a restart of Redis from an older state: no event tells of it. */
  @Test
  void entriesThatTheStoreHasLostAreStoredAgainByTheirNodes() {
    BlackboardPageTable here = table();
    here.report(residency(1, 1, Map.of(P1, 10)));
    granted(here.leases().lock("h", List.of(P1), MINUTE));
    here.assign(groups(2), allTo(3));
    await().until(() -> here.snapshot().resident(P1, NODE));
    lose(TableEntries.of(REPLICA));
    lose(TableEntries.holder("h"));
    lose(TableEntries.of(Fixtures.group(1)));

    await()
        .until(() ->
            stored(TableEntries.of(REPLICA)).isPresent()
                && stored(TableEntries.holder("h")).isPresent()
                && stored(TableEntries.of(Fixtures.group(1))).isPresent());
    PageTableSnapshot fresh = table().snapshot();
    assertThat(fresh.resident(P1, NODE)).isTrue();
    assertThat(fresh.locks(blackboards().clock().instant())).hasSize(1);
    assertThat(fresh.unit(Fixtures.group(1))).hasValue(3);
  }

  private void lose(String key) {
    List<String> raw = connections.commands().keys("*/entry/" + key).toCompletableFuture().join();
    assertThat(raw).hasSize(1);
    connections.commands().del(raw.getFirst()).toCompletableFuture().join();
  }
}
