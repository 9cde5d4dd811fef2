package dev.colony.library.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.library.pool.PoolItem.Change;
import dev.colony.library.pool.PoolItem.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The moves of an item, in each of its states. */
class PoolItemTest {

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final PoolItem QUEUED = PoolItem.queued("i-7", "request:work:pool:i-7", 2, LEASE);
  private static final PoolItem CLAIMED = item(QUEUED.claim("ann", NOW));
  private static final PoolItem RESTING = item(CLAIMED.end("ann", 1, failed(CLAIMED), NOW));
  private static final PoolItem AGAIN =
      item(item(RESTING.lapse(NOW.plus(PoolItem.REST))).claim("ben", NOW));
  private static final PoolItem DEAD = item(AGAIN.end("ben", 2, failed(AGAIN), NOW));

  @Test
  void aQueuedItemIsClaimedUnderTheNextEpochAndByOneOnly() {
    assertThat(CLAIMED.state()).isEqualTo(State.CLAIMED);
    assertThat(CLAIMED.epoch()).isEqualTo(1);
    assertThat(CLAIMED.until()).contains(NOW.plus(LEASE));
    assertThat(CLAIMED.run()).isEqualTo(new RunId("i-7.1"));
    assertThat(PoolItem.idOf(CLAIMED.run())).isEqualTo("i-7");
    assertThat(AGAIN.epoch()).isEqualTo(2);
    for (PoolItem other : List.of(CLAIMED, RESTING, DEAD)) {
      assertThat(other.claim("ben", NOW)).as("%s", other).isEmpty();
    }
  }

  @Test
  void aLeaseIsRenewedByItsHolderOnly() {
    Instant later = NOW.plusSeconds(40);
    assertThat(item(CLAIMED.renew("ann", 1, later)).until()).contains(later.plus(LEASE));
    assertThat(CLAIMED.due(NOW.plusSeconds(29))).isFalse();
    assertThat(CLAIMED.due(NOW.plusSeconds(30))).isTrue();
    assertThat(CLAIMED.renew("ben", 1, later)).isEmpty();
    assertThat(AGAIN.renew("ann", 1, later)).isEmpty();
    assertThat(AGAIN.renew("ben", 1, later)).isEmpty();
    for (PoolItem other : List.of(QUEUED, RESTING, DEAD)) {
      assertThat(other.renew("ann", 1, later)).as("%s", other).isEmpty();
    }
  }

  @Test
  void aCompletedRunIsTheResultUnderTheIdThatTheCallerGave() {
    Change done = CLAIMED.end("ann", 1, completed(CLAIMED, 3), NOW).orElseThrow();
    assertThat(done.item()).isEmpty();
    assertThat(done.result().orElseThrow().runId()).isEqualTo(new RunId("i-7"));
    assertThat(done.result().orElseThrow().output()).isEqualTo(IntNode.valueOf(3));
  }

  @Test
  void whatAWorkerSaysThatHasLostTheItemCountsForNothing() {
    for (PoolItem other : List.of(QUEUED, RESTING, AGAIN, DEAD)) {
      assertThat(other.end("ann", 1, completed(CLAIMED, 3), NOW)).as("%s", other).isEmpty();
    }
    assertThat(AGAIN.end("ben", 1, completed(AGAIN, 3), NOW)).isEmpty();
  }

  @Test
  void aFailedRunRestsAndTheLastOneIsForPeople() {
    assertThat(RESTING.until()).contains(NOW.plus(PoolItem.REST));
    assertThat(RESTING.error()).contains("no luck");
    assertThat(RESTING.lapse(NOW.plus(PoolItem.REST).minusMillis(1))).isEmpty();
    assertThat(item(RESTING.lapse(NOW.plus(PoolItem.REST))).state()).isEqualTo(State.QUEUED);
    Change end = AGAIN.end("ben", 2, failed(AGAIN), NOW).orElseThrow();
    assertThat(end.dead()).isTrue();
    assertThat(end.result().orElseThrow().status()).isEqualTo(AgentRun.Status.FAILED);
    assertThat(end.result().orElseThrow().error())
        .contains("item i-7 failed in 2 attempts, the last: no luck");
    assertThat(DEAD.worker()).contains("ben");
  }

  @Test
  void aLeaseThatIsOverHasTheItemGoToAnother() {
    assertThat(CLAIMED.lapse(NOW.plus(LEASE).minusMillis(1))).isEmpty();
    Change over = CLAIMED.lapse(NOW.plus(LEASE)).orElseThrow();
    assertThat(over.result()).isEmpty();
    assertThat(over.item().orElseThrow().state()).isEqualTo(State.QUEUED);
    assertThat(over.item().orElseThrow().error()).contains("ann did not renew its lease of PT1M");
    assertThat(AGAIN.lapse(NOW.plus(LEASE)).orElseThrow().dead()).isTrue();
    assertThat(QUEUED.lapse(NOW.plus(LEASE))).isEmpty();
    assertThat(DEAD.lapse(NOW.plus(LEASE))).isEmpty();
  }

  @Test
  void aRestDoublesAndIsBounded() {
    PoolItem patient = PoolItem.queued("i", "r", 20, LEASE);
    List<Duration> rests = new ArrayList<>();
    for (int attempt = 1; attempt < 20; attempt++) {
      PoolItem claimed = item(patient.claim("ann", NOW));
      PoolItem resting = item(claimed.end("ann", attempt, failed(claimed), NOW));
      rests.add(Duration.between(NOW, resting.until().orElseThrow()));
      patient = item(resting.lapse(resting.until().orElseThrow()));
    }
    assertThat(rests.subList(0, 3))
        .containsExactly(
            PoolItem.REST, PoolItem.REST.multipliedBy(2), PoolItem.REST.multipliedBy(4));
    assertThat(rests.getLast()).isEqualTo(PoolItem.REST.multipliedBy(64));
  }

  @Test
  void howeverTheMovesComeThereIsOneResultAndNoMoreClaimsThanAttempts() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      Optional<PoolItem> item = Optional.of(PoolItem.queued("i", "r", 3, LEASE));
      Instant now = NOW;
      int results = 0;
      List<PoolItem> claims = new ArrayList<>();
      for (int move = 0; move < 60 && item.isPresent(); move++) {
        now = now.plusSeconds(random.nextInt(30));
        PoolItem it = item.get();
        // A worker that acts on a claim of the past, as one does that comes back late.
        PoolItem stale = claims.isEmpty() ? it : claims.get(random.nextInt(claims.size()));
        String who = stale.worker().orElse("none");
        Optional<Change> change =
            switch (random.nextInt(5)) {
              case 0 -> it.claim("w" + random.nextInt(3), now);
              case 1 -> it.renew(who, stale.epoch(), now);
              case 2 -> it.end(who, stale.epoch(), failed(stale), now);
              case 3 -> it.end(who, stale.epoch(), completed(stale, stale.epoch()), now);
              default -> it.lapse(now);
            };
        results += change.flatMap(Change::result).isPresent() ? 1 : 0;
        item = change.map(Change::item).orElse(item);
        item.filter(one -> one.state() == State.CLAIMED).ifPresent(claims::add);
        assertThat(item.map(PoolItem::epoch).orElse(0)).as("seed %d", seed).isBetween(0, 3);
      }
      assertThat(results).as("seed %d", seed).isLessThanOrEqualTo(1);
      boolean over = item.filter(one -> one.state() != State.DEAD).isEmpty();
      assertThat(results == 1).as("seed %d", seed).isEqualTo(over);
    }
  }

  @Test
  void itIsStoredAsItIs() {
    for (PoolItem one : List.of(QUEUED, CLAIMED, RESTING, AGAIN, DEAD)) {
      assertThat(ValueMapper.read("k", ValueMapper.write("k", one), PoolItem.class)).isEqualTo(one);
    }
  }

  private static PoolItem item(Optional<Change> change) {
    return change.orElseThrow().item().orElseThrow();
  }

  private static AgentRun failed(PoolItem item) {
    return AgentRun.failed(item.run(), "no luck", RunStats.NONE);
  }

  private static AgentRun completed(PoolItem item, int output) {
    return AgentRun.completed(item.run(), IntNode.valueOf(output), RunStats.NONE);
  }
}
